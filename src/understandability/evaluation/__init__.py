"""Evaluate runs with labels, and make new runs by re-ranking and fusion.

In: `Run`s and `Labels`. Out: values of measures, by query and in the mean; other runs.
"""
