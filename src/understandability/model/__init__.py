"""Numbers to level, difficulty and P(U|d).

In: a batch of documents. Out: an `Estimate` per document.

`bundle` loads a trained model with its `card`. Bundles hold plain arrays, so nobody has to trust
their author; numpy evaluates them (`predictors`). `passage_model` reads whole pages by their
`passages`; `blend` corrects it by labels; `judged` and `background` are the models of the papers.
`readers` turn difficulty, or any score, into P(U|d). `contributions` explain an estimate.
"""
