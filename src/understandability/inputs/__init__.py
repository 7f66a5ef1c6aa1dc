"""Files from outside, read as records, whatever is wrong with some of them; and files written.

In: paths. Out: `Page`s and `Failure`s; `Run`s and `Labels`; lists of docnos; tables.

`sources` reads pages from any mix of inputs: `warc` with its `http` messages, `page_tables` and
`parquet`, `trec`, `archives`. `runs` reads what is evaluated, from files, data sets and memory;
`frames` takes tables that are in memory. `streams` open files and URLs and unpack what is
compressed, within bounds; `tables` and `writing` write a file whole or not at all.
"""
