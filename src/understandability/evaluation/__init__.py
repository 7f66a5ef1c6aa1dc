"""Runs judged by labels, and runs made of runs.

In: `Run`s and `Labels`. Out: values of measures, by query and in the mean; other runs.

`measures`: what measures there are, how their names are read, the arithmetic, and those of
ir_measures; `conventions`: the table of every choice that changes numbers; `scales`: what labels
mean; `joined`: labels joined to runs; `evaluate`: all together; `oddities`: what is unusual in a
run; `compare`, `correlation`, `significance`: what differs, and whether beyond chance;
`result_table`: results as frames, LaTeX, Markdown. `rerank` and `fuse` make runs from runs and
`criteria`, scores with the direction in which documents get harder; `tradeoff` tries depths.
"""
