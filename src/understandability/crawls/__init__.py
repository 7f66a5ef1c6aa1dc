"""The one engine from inputs to rows, in this process or in many that may die.

In: `Sources`, and what makes rows of documents. Out: rows and failures, in memory, in a file, or in
a crawl folder. `score` is the way in.
"""
