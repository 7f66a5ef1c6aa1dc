"""Numbers to level, difficulty and P(U|d).

In: a batch of documents. Out: an `Estimate` of each.

`bundle` holds a trained model with its `card`; what it holds are arrays that nobody has to trust,
and numpy evaluates them. `pages` is the model of whole pages, by their `passages`; `judged` and
`background` are the models of the papers; `predictors` and `forest` are what models are made of.
`calibration` maps a model's output to difficulty, `readers` turn any score into P(U|d),
`contributions` tell what moved an estimate.
"""
