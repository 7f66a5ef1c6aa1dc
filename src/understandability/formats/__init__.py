"""Files from outside, read as records, whatever is wrong with some of them.

In: paths. Out: `Page`s and `Failure`s; `Run`s and `Labels`; queries; lists of docnos.

`sources` reads pages from any mix of inputs: `warc` with its `http` messages, `containers` (JSON
Lines, Parquet, TREC, tar) with their `members`, `docx`. `runs`, `queries` and `docnos` read what
runs are judged by; `datasets` reads all of these from ir_datasets. `frames` takes tables that are
in memory already.
"""
