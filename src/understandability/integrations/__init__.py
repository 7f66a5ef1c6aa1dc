"""Steps, measures and transformers for other toolkits; each module requires its toolkit.

Inputs and outputs are those of the toolkit.
"""
