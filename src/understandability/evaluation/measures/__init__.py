"""What measures there are, how their names are read, and the arithmetic of each.

In: names, and labels joined to runs. Out: one value for each query.
"""
