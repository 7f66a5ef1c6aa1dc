"""Understandable pages at the top: runs re-ranked, fused or learned, and what that costs.

In: `Run`s, scores of documents, pages. Out: other runs.

    run = rerank(read_run("bm25.run"), [read_criterion("scores.parquet:difficulty")], top=15)

`criteria` are scores with the direction in which documents get harder. `rerank` and `fuse` make
runs from runs and scores; `tradeoff` tries several depths and weights of re-ranking. `search` is an
index of pages with its weighting models, and gives the 24 features that `learn` ranks by; `gains`
are the labels to learn from.
"""
