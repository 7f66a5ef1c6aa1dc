"""Convert the bytes of a page to a `Document`: its text, sentences and words.

The input is a `Page` as it was read; the output is a `Document`.

`decoding` finds the encoding. `tape` reads the markup once, as a flat list of tags and texts, and
`parsed` holds it. `extract` finds the text that people read the page for. `sentences` and `tokens`
split it, `language` detects its language, and `analysis` creates the `Document`.
"""
