"""Evaluate runs with labels, and make new runs by re-ranking and fusion.

The input is `Run`s and `Labels`. The output is values of measures, by query and as means, and other
runs.
"""
