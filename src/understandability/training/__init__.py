"""Train models and validate them. Scoring does not need this subpackage.

In: documents with labels, or corpora. Out: a `Bundle`, and how well it agrees with labels.
"""
