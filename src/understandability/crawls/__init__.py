"""Score the pages of any inputs, in this process or with worker processes.

In: `Sources`, and a `RowMaker`. Out: rows and failures, in memory, in a file, or in a crawl folder.
Start reading at `score` (the command), `rows` (its options) and `local` (the worker processes).
`parts` reads one input; `folder` is the format of a crawl folder.
"""
