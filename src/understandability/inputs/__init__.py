"""Reading files of others as records, even if some of them are damaged, and writing files.

In: paths. Out: `Page`s and `Failure`s (`sources`); `Run`s and `Labels` (`runs_and_labels`); tables.
"""
