"""Vocabularies, retrieval and experiments of the studies of 2014 to 2019.

In: pages, vocabularies that a user installs, runs. Out: rows of the catalogue, runs, experiments.
"""
