"""Vocabularies, retrieval and experiments of studies published from 2014 to 2019.

The input is pages, runs, and vocabularies that a user installs. The output is features, runs, and
results of experiments.
"""
