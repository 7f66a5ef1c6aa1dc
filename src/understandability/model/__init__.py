"""Numbers to level, difficulty and P(U|d).

In: a batch of documents. Out: an `Estimate` of each.

`bundle` holds a trained model, with its `card`. What it holds are arrays that nobody has to trust,
and numpy evaluates them (`predictors`). `passage_model` reads whole pages by their `passages`;
`judged` and `background` are the models of the papers. `readers` map a model's output to difficulty
and turn any score into P(U|d); `contributions` tell what moved an estimate.
"""
