"""A run on a Ray cluster of two nodes that loses one: `pytest -m ray`."""

import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scripts.faults import crawl as faults

from understandability.crawls.folder import CrawlFolder, complete_inputs
from understandability.crawls.local import fill_folder
from understandability.crawls.merge import merge
from understandability.crawls.page_process import Limits
from understandability.crawls.plan import make_plan
from understandability.crawls.ray import fill_folder_on_ray
from understandability.errors import InputError
from understandability.inputs.sources import Sources
from understandability.scoring import Scorer, Settings

ray = pytest.importorskip("ray", reason="needs Ray (pip install '.[ray]')")
pytestmark = [
    pytest.mark.ray,
    # Ray leaves files open and calls what is deprecated; our own warnings still are errors.
    pytest.mark.filterwarnings("default"),
]


_PATIENCE = 1200  # seconds; it takes one minute where nothing else runs


@pytest.fixture
def patience() -> Iterator[None]:
    """A cluster that never answers fails its test, and does not hold up all others."""

    def give_up(*_: object) -> None:
        raise TimeoutError(f"the cluster was not done after {_PATIENCE} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(_PATIENCE)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def cluster(patience: None) -> Iterator[Any]:
    """Two nodes with a processor each."""
    nodes = started_cluster()
    ray.init(address=nodes.address, log_to_driver=False)
    yield nodes
    ray.shutdown()
    nodes.shutdown()


def started_cluster(attempts: int = 5) -> Any:
    """Start two nodes. Ray gives up on a node after 30 s, which a busy machine may exceed."""
    from ray.cluster_utils import Cluster

    nodes = Cluster()
    try:
        nodes.add_node(num_cpus=1)
        nodes.add_node(num_cpus=1)
    except Exception:
        nodes.shutdown()
        if attempts == 1:
            raise
        return started_cluster(attempts - 1)
    return nodes


def test_a_run_survives_the_loss_of_a_node(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other node takes over the inputs of the lost one; the rows are the same."""
    monkeypatch.setattr("understandability.crawls.ray._TICK", 0.2)
    text = "Some words stand here. " * 40
    pages = [f"<html lang=en><p>{text} Page {i}.".encode() for i in range(50)]
    faults.build_crawl(tmp_path / "crawl", pages, 9000, files=6)
    plan = make_plan(Sources([tmp_path / "crawl"]), Scorer(Settings()))
    alone, spread = (
        CrawlFolder(f"{tmp_path}/{name}", plan.described) for name in ("alone", "spread")
    )
    for folder in (alone, spread):
        folder.begin(plan.description)
    *_, expected = fill_folder(alone, plan, plan.inputs, workers=2, limits=Limits())
    lost = None
    for now in fill_folder_on_ray(spread, plan, plan.inputs, limits=Limits()):
        progress = now
        if lost is None and spread.parts():
            (lost,) = cluster.worker_nodes
            cluster.remove_node(lost, allow_graceful=False)
    assert lost is not None
    unordered = {"input": "", "first_failure": None}  # inputs finish in any order
    assert replace(progress, **unordered) == replace(expected, **unordered)
    failures = [failure for part in alone.parts() for failure in alone.failures(part)]
    assert progress.first_failure in failures
    assert complete_inputs(spread.parts()) == set(range(6))
    faults.compare(faults.rows_of(Path(alone.path)), faults.rows_of(Path(spread.path)))
    assert merge(spread, f"{tmp_path}/scores.parquet") == merge(alone, f"{tmp_path}/alone.parquet")


def test_what_fails_on_a_node_is_told(cluster: Any, tmp_path: Path) -> None:
    """An error that a user can mend is one sentence here, too: a bundle that a node lacks."""
    (tmp_path / "a.html").write_text("<p>Some words.")
    plan = make_plan(Sources([tmp_path / "a.html"]), Scorer(Settings()))
    plan = replace(plan, described={**plan.described, "bundle_checksum": "another"})
    folder = CrawlFolder(f"{tmp_path}/run", plan.described)
    folder.begin(plan.description)
    with pytest.raises(InputError, match="this node has other versions or bundles than the crawl"):
        for _ in fill_folder_on_ray(folder, plan, plan.inputs, limits=Limits()):
            pass
