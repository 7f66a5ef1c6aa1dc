"""Files from outside, read as records, whatever is wrong with some of them; and files written.

In: paths. Out: `Page`s and `Failure`s (`sources`); `Run`s and `Labels` (`given`); tables.
"""
