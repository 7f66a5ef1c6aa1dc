"""What readers say for an expert's or an official's term: "heart attack" for "infarction".

In: documents. Out: offers, each a term with plain terms that fit in its place, or with plain words
for a sentence to be rewritten, or with a note.
"""
