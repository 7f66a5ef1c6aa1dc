"""The rows of the catalogue: a module for each family of features, each with its `ROWS`.

In: a `Batch` of documents. Out: one float64 for each document, NaN where nothing can be said.
"""
