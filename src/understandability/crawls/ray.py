"""Score a crawl on a Ray cluster: one task per input, one crawl folder on a shared file system."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from understandability.crawls.folder import CrawlFolder
from understandability.crawls.local import (
    assignments_for,
    continue_folder,
    prepare,
)
from understandability.crawls.page_process import Limits
from understandability.crawls.plan import Input, Plan, Progress
from understandability.errors import InputError, needing

# How often an input is started again (after its last finished part) when its node is lost.
_RETRIES = 10
_TICK = 5.0  # seconds between two looks at the parts that the tasks have written


def fill_folder_on_ray(
    folder: CrawlFolder,
    plan: Plan,
    inputs: Sequence[Input],
    *,
    tasks: int | None = None,
    limits: Limits,
    address: str | None = None,
    retried_stages: Collection[str] = (),
) -> Iterator[Progress]:
    """Process the unfinished inputs of a crawl folder on the nodes of a Ray cluster.

    Inputs, crawl folder and bundle must have the same paths on all nodes. Each task scores one
    input on one core. If a node is lost, another node continues after the last finished part. At
    most `tasks` run at a time; by default one per core of the cluster. `address` names the cluster;
    without one, the variable ``RAY_ADDRESS`` counts, else a new cluster is started on this machine.
    """
    with needing("--runner ray needs Ray", ".[ray]"):
        import ray
    with folder.lock([input_.number for input_ in inputs]):
        prepare(folder, plan, inputs)
        is_own_cluster = not ray.is_initialized()
        if is_own_cluster:
            try:
                ray.init(address=address, log_to_driver=False, configure_logging=False)
            except (ConnectionError, RuntimeError, ValueError) as error:
                raise InputError(
                    f"no Ray cluster answers at {address or 'RAY_ADDRESS'} ({error}); start one "
                    "with 'ray start --head', or give its --address"
                ) from error
        try:
            yield from _run_tasks(folder, plan, inputs, tasks, limits, retried_stages)
        finally:
            if is_own_cluster:
                ray.shutdown()


def _run_tasks(
    folder: CrawlFolder,
    plan: Plan,
    inputs: Sequence[Input],
    tasks: int | None,
    limits: Limits,
    retried_stages: Collection[str],
) -> Iterator[Progress]:
    import ray

    counted = set(folder.parts())
    assignments = assignments_for(folder, plan, inputs, limits, retried_stages)
    remaining = [assignment.input for assignment in assignments]
    progress = Progress.before(plan, inputs, remaining)
    yield progress
    task = ray.remote(num_cpus=1, max_retries=_RETRIES, scheduling_strategy="SPREAD")
    score_one = task(_score_one)
    common = ray.put(
        (str(Path.cwd()), folder.path, replace(plan, inputs=()), limits, frozenset(retried_stages))
    )
    running: dict[object, Input] = {}
    while remaining or running:
        while remaining and (tasks is None or len(running) < tasks):
            input_ = remaining.pop(0)
            running[score_one.remote(common, input_)] = input_
        finished, _ = ray.wait(list(running), timeout=_TICK)
        for reference in finished:
            input_ = running.pop(reference)
            try:
                ray.get(reference)
            except ray.exceptions.RayError as error:
                cause = getattr(error, "cause", error)
                raise InputError(f"{input_.name} could not be scored on Ray: {cause}") from error
            progress.input = input_.name
            progress.inputs_done += 1
            progress.bytes_done += input_.bytes
        for part in folder.parts():
            if part in counted:
                continue
            facts = folder.facts(part)
            progress.documents += facts.records
            progress.failed += facts.failed
            progress.skipped += Counter(facts.skipped)
            if progress.first_failure is None:
                progress.first_failure = next(iter(folder.failures(part)), None)
            counted.add(part)
        yield progress


def _score_one(
    common: tuple[str, str, Plan, Limits, frozenset[str]], input_: Input
) -> None:  # runs on a node of the cluster
    working_folder, path, plan, limits, retried_stages = common
    os.chdir(working_folder)
    described = plan.maker.described
    if described != plan.described:
        raise InputError(
            f"this node has other versions or bundles than the crawl ({described}); install "
            "the same"
        )
    recorded_limits = {"seconds": limits.seconds, "megabytes": limits.megabytes}
    folder = CrawlFolder(path, plan.described, recorded_limits)
    plan = replace(plan, inputs=(input_,))
    for _ in continue_folder(
        folder, plan, [input_], workers=1, limits=limits, retried_stages=retried_stages
    ):
        pass
