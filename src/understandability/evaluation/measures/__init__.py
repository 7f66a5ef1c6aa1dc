"""What measures there are, and the arithmetic of each.

In: names, and labels joined to runs. Out: one value for each query.

`bases` holds the bases and forms, `parameters` what they may be given; `names` reads a name and
prints it back; `values` computes.
"""
