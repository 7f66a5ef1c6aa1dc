"""How models are learned; nothing here is needed to score.

In: documents with labels, or corpora. Out: a `Bundle`.

`labelled` reads judged texts; `judged` and `background` train the models of these names;
`learners` are the estimators for use in scikit-learn; `portable` turns a fitted estimator into
arrays.
"""
