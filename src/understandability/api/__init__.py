"""What the top of the package offers, one call each.

In: what people have in hand (paths, text, dictionaries, frames). Out: rows, tables, runs and
results that turn into frames. `evaluation` and `ranking` hold the calls of those tasks.
"""
