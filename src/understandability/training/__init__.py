"""Train models and validate them; scoring needs nothing of it.

In: documents with labels, or corpora. Out: a `Bundle`, and how well it agrees with labels.
"""
