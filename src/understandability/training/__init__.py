"""How models are learned and judged; nothing here is needed to score.

In: documents with labels, or corpora. Out: a `Bundle`, and how well it agrees with labels.

`labelled` reads judged texts; `judged_training` and `background_training` train models;
`learners` are the estimators for use in scikit-learn; `portable` turns a fitted estimator into
arrays; `answers` makes a reader of answers; `validation` judges.
"""
