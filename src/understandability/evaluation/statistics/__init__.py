"""How alike two orders of systems are, and whether two systems differ beyond chance.

In: values of systems, by query or in the mean. Out: coefficients, p-values, intervals.
"""
