"""What the studies of 2014 to 2019 need beside the core: a room outside.

In: pages, vocabularies that a user installs, runs. Out: rows of the catalogue, runs, experiments.
"""
