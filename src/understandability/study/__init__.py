"""What the studies of 2014 to 2019 need beside the core: a room outside.

In: pages, vocabularies that a user installs, runs. Out: rows of the catalogue, runs, experiments.

`readcalc`, `concepts` and `metamap` are rows of the catalogue; `vocabularies` are what they read;
`search` is an index of pages with its weighting models, from which `learn` learns to rank; `grid`,
`simulation` and `simulated_users` are the papers' experiments, `plots` their figures.
"""
