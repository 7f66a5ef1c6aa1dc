"""Steps, measures and transformers for other toolkits; each module requires its toolkit.

In and out: the documents, frames, runs and values of the toolkit.
"""
