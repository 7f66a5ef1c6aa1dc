"""Train models and validate them. Scoring does not need this subpackage.

The input is documents with labels, or corpora. The output is a `Bundle`, and its agreement with
labels.
"""
