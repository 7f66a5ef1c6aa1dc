"""Where the text of a page is.

In: a `ParsedPage`. Out: its `Block`s of text, each kept or dropped with the reason.

`extractors` is the table; `main` (the default), `naive`, `boilerpipe`, `justext` and `plain_text`
walk the one tape of a page, `libraries` and `trafilatura` call the libraries; `columns` makes the
blocks; `sentence_ends` says what the end of a block means for sentences.
"""
