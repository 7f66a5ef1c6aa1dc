"""Files from outside, read as records, whatever is wrong with some of them; and files written.

In: paths. Out: `Page`s and `Failure`s; `Run`s and `Labels`; lists of docnos; tables.

`sources` reads pages from any mix of inputs: `warc` with its `http` messages, `containers` (JSON
Lines, Parquet, TREC, tar) with their `members`. `runs` reads what is evaluated, `datasets` reads
all of these from ir_datasets, `frames` takes tables that are in memory. `streams` unpack what is
compressed, within bounds; `tables`, `folders` and `writing` write a file whole or not at all.
"""
