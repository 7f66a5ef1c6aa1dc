"""Score the pages of any inputs, in this process or with worker processes.

The input is `Sources`, from which a `RowMaker` computes rows. The output, rows and failures, goes
into memory, a file, or a crawl folder. Start reading at `score` (the command), `rows` (its options)
and `local` (the worker processes). `parts` reads one input; `folder` defines the files of a crawl
folder.
"""
