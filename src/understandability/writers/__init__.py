"""Something to look at, for those who write: a room outside the core.

In: documents and their estimates. Out: reports, charts, plainer terms, and the same as data.
`serve` is the editor and the HTTP API; `office` reads what writers have.
"""
