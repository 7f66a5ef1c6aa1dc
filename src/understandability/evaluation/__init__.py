"""Runs judged by labels, and runs made of runs.

In: `Run`s and `Labels`. Out: values of measures, by query and in the mean; other runs.
"""
