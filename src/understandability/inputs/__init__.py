"""Read files as records, even if some of them are damaged, and write files.

The input is paths. The output is `Page`s and `Failure`s (`sources`), `Run`s and `Labels`
(`runs_and_labels`), or tables.
"""
