"""The encoder of the neural bundles, a room outside the core.

In: sentences. Out: what a small contextual encoder holds of each, and the model that reads it.
"""
