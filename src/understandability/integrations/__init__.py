"""Steps, measures and transformers for other toolkits. Each module requires its toolkit.

The input and the output are the documents, data frames, runs and values of the toolkit.
"""
