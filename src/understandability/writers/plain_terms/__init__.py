"""Plain words for the terms of experts and officials: "heart attack" for "infarction".

In: documents. Out: offers, each with plain terms that fit the sentence, or with plain words for a
rewrite, or with an explanatory note.
"""
