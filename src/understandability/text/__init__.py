"""Bytes to a `Document`: the text of a page, its sentences and words.

In: a `Page` as it was read. Out: a `Document`.

The way: `decoding` finds the encoding; `tape` and `source` read the markup once, as a flat list of
tags and texts, which `parsed` holds; `extract` finds the text that a page is read for; `sentences`
and `tokens` cut it; `analysis` makes the `Document`. `language_guess` guesses the language.
"""
