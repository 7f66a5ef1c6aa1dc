"""Suggest plain words for technical and official terms: "heart attack" for "infarction".

The input is documents. The output is `Offer`s: each has plain terms that fit the sentence, or plain
words for rewriting it, or an explanatory note.
"""
