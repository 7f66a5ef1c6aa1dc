"""Understandable pages where people look: runs re-ranked, fused, learned, and what that costs.

In: `Run`s, scores of documents, pages. Out: other runs.

    run = rerank(read_run("bm25.run"), [read_criterion("scores.parquet:difficulty")], top=15)

`criteria` are scores with the direction in which documents get harder; `reranking` and `fusion`
make runs of runs and scores, `tradeoff` sweeps over the depths and weights of the first.
`index` counts the terms of pages, `weighting` says what they are worth to a query, `matching`
searches and gives the 24 features of `learning` to rank, whose labels are the `gains`.
"""
