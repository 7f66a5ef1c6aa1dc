"""Documents, queries, runs and labels of ir_datasets, with a data set made of local files."""

from pathlib import Path

import pytest

from understandability.errors import InputError
from understandability.inputs.runs import dataset_pages, read_labels, read_run
from understandability.study.queries import read_queries
from understandability.text.page import HTML, TEXT

ir_datasets = pytest.importorskip("ir_datasets", reason="needs the extra ir")


@pytest.fixture
def dataset(tmp_path: Path):
    """A data set of ir_datasets' own classes, registered under a name while a test runs."""
    from ir_datasets.datasets.base import Dataset
    from ir_datasets.formats import TrecQrels, TrecScoredDocs, TsvDocs, TsvQueries
    from ir_datasets.util import LocalDownload

    def local(name: str, text: str) -> LocalDownload:
        (tmp_path / name).write_text(text)
        return LocalDownload(tmp_path / name)

    created = Dataset(
        TsvDocs(local("docs.tsv", "d1\tFlu is a virus.\nd2\tA cold.\n")),
        TsvQueries(local("queries.tsv", "q1\twhat is flu\nq2\tcold\n")),
        TrecQrels(local("qrels", "q1 0 d1 2\n"), {0: "not", 1: "somewhat", 2: "highly"}),
        TrecScoredDocs(local("run", "q1 Q0 d2 1 1.5 x\nq1 Q0 d1 2 2.5 x\n")),
    )
    ir_datasets.registry.register("test-made-here", created)
    yield "irds:test-made-here"
    del ir_datasets.registry._registered["test-made-here"]


def test_documents_are_pages(dataset: str) -> None:
    """A document of text is a page of text."""
    pages = list(dataset_pages(dataset))
    assert [(page.docno, page.content, page.media_type) for page in pages] == [
        ("d1", "Flu is a virus.", TEXT),
        ("d2", "A cold.", TEXT),
    ]


def test_documents_of_a_crawl_are_html(monkeypatch: pytest.MonkeyPatch) -> None:
    """WARC documents (ClueWeb, CLEF eHealth) keep their bytes and their address."""
    from ir_datasets.formats import WarcDoc

    class Crawl:
        def has_docs(self) -> bool:
            return True

        def docs_iter(self):
            yield WarcDoc("c1", "http://a.example/", "", b"", b"<p>Flu", "text/html")
            yield WarcDoc("c2", "http://a.example/t", "", b"", b"Flu", "text/plain")

    monkeypatch.setattr(ir_datasets, "load", lambda name: Crawl())
    first, second = dataset_pages("irds:crawl")
    assert (first.content, first.media_type, first.url) == (b"<p>Flu", HTML, "http://a.example/")
    assert second.media_type == TEXT


def test_queries_runs_and_labels_are_read_by_name(dataset: str) -> None:
    """``irds:NAME`` wherever a file of queries, a run or labels is taken."""
    assert read_queries(dataset) == {"q1": "what is flu", "q2": "cold"}
    run = read_run(dataset)
    assert run.name == "test-made-here"
    assert run.by_query() == {"q1": [("d1", 2.5), ("d2", 1.5)]}
    assert read_labels(dataset).values.tolist() == [2.0]


def test_what_a_data_set_lacks_is_named(dataset: str) -> None:
    """An unknown name, and a part that is not there."""
    with pytest.raises(InputError, match="ir_datasets has no data set 'no-such-thing'"):
        read_queries("irds:no-such-thing")
    with pytest.raises(InputError, match="no field 'trustworthiness'"):
        read_labels(dataset, "trust")
