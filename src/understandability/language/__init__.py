"""The parts of a text.

In: text. Out: tokens, sentences, syllables and tags.

`tokens` cuts text into pieces, words and tokens, `sentences` finds where sentences start,
`syllables` counts, `others` knows what both take in other languages, `tags` says parts of speech
for all sentences of a batch, from which `entities` and `phrases` follow. `tries` and `cache` serve
these; `nltk_backend` is the same by NLTK, to compare.
"""
