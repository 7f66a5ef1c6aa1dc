"""Score the pages of any inputs into memory, a file or a crawl folder, with worker processes.

Start reading at `score` (the command), `rows` (its options put to work) and `local` (the worker
processes). `parts` reads one input; `folder` is the format of a crawl folder.
"""
