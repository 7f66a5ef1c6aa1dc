"""Extractors decide which blocks of a page are its main text.

The input is a `ParsedPage`. The output is its `Block`s of text, each kept or dropped with the
reason.

`main` (the default), `naive`, `boilerpipe` and `justext` walk the tape of a page, and `plain_text`
splits plain text. `libraries` and `trafilatura` call other packages. `text.analysis.EXTRACTORS`
lists all of them.
"""
