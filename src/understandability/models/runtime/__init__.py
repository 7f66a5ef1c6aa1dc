"""Trained models as arrays, evaluated by numpy alone.

In: the entry ``model`` of ``bundle.json``, and weights as bytes that nobody has to trust. Out: raw
numbers for documents, on the scale of the labels that a model learned from; higher is harder.

`model` says what every model can do. `background`, `judged` and `pages` are kinds of models;
`predictors` and `forest` are what they are made of, `weights` and `arrays` read them; `bags`,
`letters`, `style` and `word_vectors` are what they read of a text beside the catalogue.
"""
