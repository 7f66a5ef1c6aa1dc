"""What the top of the package offers, one call each: `understandability.score` and the like.

`scoring` takes what people have in hand (text, HTML, paths, tables) and gives rows, tables and
reports. Names of the package's top are imported when they are first used.
"""
