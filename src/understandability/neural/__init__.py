"""The encoder that taught the default model, a room outside the core.

In: sentences. Out: what a small contextual encoder holds of each, and the model that reads it.
"""
