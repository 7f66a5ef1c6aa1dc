"""Many pages, many processes, resumable: from inputs to a run folder, and what is in one.

    crawl = Crawl(["crawl/"], "run/", Settings(features=True), workers=4)
    for progress in crawl.run():
        ...
    merge("run/", "scores.parquet")

`plan` says what is to be done, `reading` cuts inputs into parts and batches, `workers` scores
batches in processes that may die, `local` and `cluster` do all of that on one machine or many.
"""
