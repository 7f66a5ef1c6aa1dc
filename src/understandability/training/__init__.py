"""How models are learned and judged; nothing here is needed to score.

In: documents with labels, or corpora. Out: a `Bundle`, and how well it agrees with labels.
"""
