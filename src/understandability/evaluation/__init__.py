"""Runs judged by labels.

In: `Run`s and `Labels`. Out: values of measures, by query and in the mean, and what they tell.

`measures`: what measures there are, how their names are read, the arithmetic, and those of
ir_measures; `conventions`: the table of every choice that changes numbers; `scales`: what labels
mean; `labels`: labels joined to runs; `evaluate`: all together; `oddities`: what is unusual in a
run; `statistics`, `simulation`, `plots`: what is done with the results; `result_table`: results as
frames, LaTeX, Markdown. `validation` and `grid`: estimates of understandability against labels of
texts and of pages.
"""
