"""A small index of pages, so that the experiments need no other engine.

In: pages, then queries. Out: runs, and the features of learning to rank.

`index_terms` turns text into terms, `inverted_index` counts them, `weighting` says what they are
worth to a query, `matching` searches, `saved` keeps an index.
"""
