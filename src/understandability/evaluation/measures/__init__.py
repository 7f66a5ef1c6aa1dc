"""The measures: their tables, the parser of their names, and their arithmetic.

In: names, and labels joined to runs. Out: one value for each query.
"""
