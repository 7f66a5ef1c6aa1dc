"""Bytes to a `Document`: the text of a page, its sentences and words.

In: a `Page` as it was read. Out: a `Document`.

`decoding` finds the encoding. `tape` reads the markup once, as a flat list of tags and texts, and
`parsed` holds it. `extract` finds the text that people read the page for. `sentences` and `tokens`
split it, `language` detects its language, and `analysis` creates the `Document`.
"""
