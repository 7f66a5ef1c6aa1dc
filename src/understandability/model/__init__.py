"""Models that map documents to level, difficulty and P(U|d).

The input is a batch of documents; the output is an `Estimate` per document.

`bundle` loads a trained model with its `card`. Bundles hold plain arrays, so nobody has to trust
their author; numpy evaluates them (`predictors`). `passage_model` estimates whole pages from their
`passages`. `blend` corrects it with labels of a user. `feature_model` and `background` are the
models of published papers. `readers` turn difficulty, or any score, into P(U|d). `contributions`
explain an estimate.
"""
