"""The one engine from inputs to rows, in this process or in many.

In: `Sources`, and what makes rows of documents. Out: rows and failures, in memory, in a file, or in
a crawl folder.

    plan = make_plan(Sources(["crawl/"]), Scorer())
    folder = CrawlFolder("scores/", plan.described)
    folder.begin(plan.description)
    for progress in fill_folder(folder, plan, plan.inputs, workers=4, limits=Limits()):
        ...

`plan` says what is to be done, `reading` cuts inputs into parts and chunks, `workers` make rows of
chunks in processes that may die, `engine` does all of that on this machine and `ray` on a cluster.
Rows go to one of `outputs` or to a `folder`, of which `merge` makes one table, and at which
`status` looks.
"""
