"""A crawl on a cluster: each input one Ray task, one crawl folder on a shared file system."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from understandability.crawls.engine import Progress, make_rows, prepare
from understandability.crawls.folder import CrawlFolder, complete_inputs
from understandability.crawls.plan import Input, Plan
from understandability.crawls.workers import Limits
from understandability.errors import InputError, needing

# How often an input is begun again (where its parts end) when the node that worked on it is lost.
_RETRIES = 10
_TICK = 5.0  # seconds between two looks at what the tasks have written


def fill_folder_on_ray(
    folder: CrawlFolder,
    plan: Plan,
    inputs: Sequence[Input],
    *,
    workers: int,
    limits: Limits,
    address: str | None = None,
) -> Iterator[Progress]:
    """Do what is left to do of some inputs on the nodes of a Ray cluster.

    Inputs, crawl folder and bundle must have the same paths on all nodes. Each task scores one
    input with `workers` processes; that of a lost node is taken up by another where its last
    finished part ends. `address` is that of the cluster; without one it is what the variable
    ``RAY_ADDRESS`` says, else a new cluster on this machine.
    """
    with needing("--runner ray needs Ray", ".[ray]"):
        import ray
    with folder.lock([each.number for each in inputs]):
        prepare(folder, plan, inputs)
        ours = not ray.is_initialized()
        if ours:
            try:
                ray.init(address=address, log_to_driver=False, configure_logging=False)
            except (ConnectionError, RuntimeError, ValueError) as error:
                raise InputError(
                    f"no Ray cluster answers at {address or 'RAY_ADDRESS'} ({error}); start one "
                    "with 'ray start --head', or give its --address"
                ) from error
        try:
            yield from _run_tasks(folder, plan, inputs, workers, limits)
        finally:
            if ours:
                ray.shutdown()


def _run_tasks(
    folder: CrawlFolder, plan: Plan, inputs: Sequence[Input], workers: int, limits: Limits
) -> Iterator[Progress]:
    import ray

    known = set(folder.parts())
    complete = complete_inputs(known)
    left = [each for each in inputs if each.number not in complete]
    progress = Progress.before(inputs, left)
    progress.remarks = plan.source.remarks
    yield progress
    task = ray.remote(num_cpus=workers, max_retries=_RETRIES, scheduling_strategy="SPREAD")
    score_one = task(_score_one)
    common = ray.put((str(Path.cwd()), folder.path, replace(plan, inputs=()), workers, limits))
    waiting = {score_one.remote(common, each): each for each in left}
    while waiting:
        done, _ = ray.wait(list(waiting), timeout=_TICK)
        for reference in done:
            each = waiting.pop(reference)
            try:
                ray.get(reference)
            except ray.exceptions.RayError as error:
                cause = getattr(error, "cause", error)
                raise InputError(f"{each.name} could not be scored on Ray: {cause}") from error
            progress.input = each.name
            progress.inputs_done += 1
            progress.bytes_done += each.bytes
        for part in set(folder.parts()) - known:
            facts = folder.facts(part)
            progress.documents += facts.records
            progress.failed += facts.failed
            known.add(part)
        yield progress


def _score_one(
    common: tuple[str, str, Plan, int, Limits], each: Input
) -> None:  # runs on a node of the cluster
    here, path, plan, workers, limits = common
    os.chdir(here)
    described = plan.maker.described
    if described != plan.described:
        raise InputError(
            f"this node has other versions or bundles than the crawl ({described}); install "
            "the same"
        )
    folder = CrawlFolder(path, plan.described)
    parts = folder.parts()
    for _ in make_rows(plan, [each], folder, workers=workers, limits=limits, finished=parts):
        pass
