"""Runs and labels in, measures out.

`names` and `measures`: what measures there are, and how their names are read; `parameters` and
`settings`: every choice that changes numbers; `scales`: what labels mean; `judgements`: labels
joined to runs; `scoring`: the arithmetic; `evaluate`: all together; `oddities`: what is unusual
in a run; `correlation`, `significance`, `simulation`, `plots`: what is done with the results.
`validation` and `grid`: estimates of understandability against labels of texts and of pages.
"""
