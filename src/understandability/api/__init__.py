"""What the top of the package offers, one call each: `understandability.score` and the like.

In: paths, text, HTML, dictionaries, frames. Out: rows, tables, reports, runs and results that turn
into frames. `scoring`, `evaluation`, `ranking` and `training` hold the calls of those tasks; names
of the package's top are imported when they are first used.
"""
