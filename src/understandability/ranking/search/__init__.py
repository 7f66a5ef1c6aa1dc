"""A small index of pages, so that the experiments need no other engine.

In: pages, then queries. Out: runs, and the features of learning to rank.

`analysis` turns text into terms, `index` counts them, `weighting` says what they are worth to a
query, `matching` searches, `saved` keeps an index.
"""
