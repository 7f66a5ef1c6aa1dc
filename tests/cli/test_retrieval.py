"""The commands that make rankings, as a user runs them."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from tests.conftest import Run

CONDITIONS = ("flu", "asthma", "gout", "lupus", "anemia", "measles")


@pytest.fixture(scope="module")
def folder(understand: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages, queries, labels, an index, a run and scores, made by the commands."""
    here = tmp_path_factory.mktemp("retrieval")
    rng = np.random.default_rng(1)
    pages, qrels, qunder = [], [], []
    for number, condition in enumerate(CONDITIONS):
        for copy in range(8):
            words = rng.choice(["rest", "pain", "dose", "physician", "inflammation"], 30)
            text = f"{(condition + ' ') * (1 + copy % 4)} {' '.join(words)}."
            title = condition if copy % 2 else "health"
            html = f"<title>{title}</title><p>{text}"
            docno = f"{condition}-{copy}"
            pages.append(json.dumps({"id": docno, "html": html}))
            qrels.append(f"q{number} 0 {docno} {int(copy % 4 > 1)}")
            qunder.append(f"q{number} 0 {docno} {12 * copy}")
    (here / "pages.jsonl").write_text("\n".join(pages) + "\n")
    (here / "qrels").write_text("\n".join(qrels) + "\n")
    (here / "qunder").write_text("\n".join(qunder) + "\n")
    (here / "queries.tsv").write_text(
        "".join(f"q{n}\twhat is {condition}\n" for n, condition in enumerate(CONDITIONS))
    )
    scores = [f"{json.loads(page)['id']},{place % 8}" for place, page in enumerate(pages)]
    (here / "scores.csv").write_text("docno,difficulty\n" + "\n".join(scores) + "\n")
    built = understand("index", "build", here / "pages.jsonl", "-o", here / "index", status=0)
    assert built.stderr == "48 documents, 12 terms, 0 errors\n"
    search = "index search index --queries queries.tsv -o bm25.run.gz"
    understand(*search.split(), cwd=here, status=0)
    return here


@pytest.fixture
def run(understand: Run, folder: Path) -> Run:
    """A command as it is written, in the folder."""
    return lambda command, **more: understand(*command.split(), cwd=folder, **more)


def docnos(run: str, query: str = "q0") -> list[str]:
    return [line.split()[2] for line in run.splitlines() if line.split()[0] == query]


def test_a_search_gives_a_trec_run(folder: Path) -> None:
    """Six columns, ranks from 1, the pages of the condition and no others; gzip by suffix."""
    text = gzip.decompress((folder / "bm25.run.gz").read_bytes()).decode()
    first = text.splitlines()[0].split()
    assert (first[0], first[1], first[3], first[5]) == ("q0", "Q0", "1", "page_bm25")
    assert len(docnos(text)) == 8
    assert all(docno.startswith("flu-") for docno in docnos(text))


def test_a_new_run_is_summarised(run: Run, folder: Path) -> None:
    """Also which queries have no documents; nothing with --quiet."""
    (folder / "q.csv").write_text("qid,query\nq0,flu\nq1,xyzzy\n")
    search = "index search index --queries q.csv -o new.run"
    done = run(search, status=0)
    assert "new.run: " in done.stderr
    assert "documents for 2 queries; no documents for 1 of them (q1)" in done.stderr
    assert run(f"{search} --quiet", status=0).stderr == ""
    done = run("rerank new.run --scores scores.csv:difficulty -o easy.run", status=0)
    assert "easy.run: " in done.stderr
    assert run("rerank new.run --scores scores.csv:difficulty", status=0).stderr == ""


def test_reranking_writes_to_standard_output(run: Run, folder: Path) -> None:
    """The easiest of the first 5 first; nothing else on standard output."""
    before = docnos(gzip.decompress((folder / "bm25.run.gz").read_bytes()).decode())
    done = run("rerank bm25.run.gz --scores scores.csv:difficulty --top 5 --tag easy", status=0)
    after = docnos(done.stdout)
    assert after[:5] == sorted(before[:5])
    assert after[5:] == before[5:]
    assert done.stdout.splitlines()[0].endswith(" 1 1.0 easy")


def test_fusing_takes_runs_and_scores(run: Run, folder: Path) -> None:
    """Labels by query are scores too, with their direction said."""
    done = run(
        "fuse bm25.run.gz qunder:higher-harder --method combsum --weight 0 --weight 1 -o fused.run"
    )
    assert done.returncode == 0, done.stderr
    assert docnos((folder / "fused.run").read_text()) == [f"flu-{n}" for n in range(8)]


def test_a_ranker_is_learned_and_applied(run: Run, folder: Path) -> None:
    """A ranker learns from the index and a table; it writes the held-out run and a bundle."""
    index = "--index index --queries queries.tsv"
    learned = run(
        f"rank learn bm25.run.gz --qrels qrels --understandability qunder {index} --features "
        "scores.csv --labels combo3 --rounds 5 --folds 3 --out-of-fold folds.run -o ranker"
    )
    assert learned.returncode == 0, learned.stderr
    assert "48 candidates, 25 features; 6 of 6 queries have relevant" in learned.stderr
    assert len(docnos((folder / "folds.run").read_text())) == 8
    applied = run(f"rank apply ranker bm25.run.gz {index} --features scores.csv", status=0)
    assert len(docnos(applied.stdout)) == 8
    fewer = run(f"rank apply ranker bm25.run.gz {index}", status=2)
    assert "learned from 25 features, and 1 of them are not given (difficulty)" in fewer.stderr


def test_a_tradeoff_is_a_table_and_a_plot(run: Run, folder: Path) -> None:
    """A row for the run and one for each setting; JSON with the settings."""
    done = run(
        "tradeoff bm25.run.gz --scores qunder:higher-harder --qrels qrels --understandability "
        "qunder --scale lower-easier:40 --top 4 --weight 0.5 --weight 1 -o tradeoff.json "
        "--plot tradeoff.svg",
        status=0,
    )
    names = [line.split("  ")[0] for line in done.stdout.splitlines()]
    assert names == ["setting", "as it is", "top=4 w=0.5", "top=4 w=1"]
    result = json.loads((folder / "tradeoff.json").read_text())
    assert len(result["points"]) == 9
    assert result["conventions"]["dimensions"]["u"]["scale"] == "lower-easier:40"
    assert (folder / "tradeoff.svg").read_bytes().startswith(b"<?xml")


def test_what_cannot_be_indexed_stands_beside_the_index(understand: Run, tmp_path: Path) -> None:
    """Failures are reported and written to a file; with --strict the status is 1."""
    lines = ['{"id": "a", "text": "flu"}', '{"id": "a", "text": "cold"}', '{"id": "b"}']
    (tmp_path / "pages.jsonl").write_text("\n".join(lines) + "\n")
    done = understand(
        "index", "build", tmp_path / "pages.jsonl", "-o", tmp_path / "i", "--strict", status=1
    )
    assert "1 document, 1 term, 2 errors" in done.stderr
    errors = (tmp_path / "i.errors.jsonl").read_text().splitlines()
    assert [json.loads(error)["docno"] for error in errors] == ["a", "b"]


def test_a_duplicate_is_told_or_refused(understand: Run, tmp_path: Path) -> None:
    """The first place counts, with a remark; --strict refuses; --quiet says nothing."""
    run, scores = tmp_path / "a.run", tmp_path / "s.csv"
    run.write_text("q Q0 a 1 3 x\nq Q0 b 2 2 x\nq Q0 a 3 1 x\n")
    scores.write_text("docno,difficulty\na,2\nb,1\n")
    arguments = ["rerank", run, "--scores", f"{scores}:difficulty"]
    done = understand(*arguments)
    assert docnos(done.stdout, "q") == ["b", "a"]
    assert "documents listed again: 1 in 1 of 1 runs (first: " in done.stderr
    assert understand(*arguments, "--quiet").stderr == ""
    refused = understand(*arguments, "--strict", status=2)
    assert "is refused under --strict: documents listed again: 1" in refused.stderr


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("rerank bm25.run.gz --scores other.csv:difficulty", "have no document in common"),
        ("fuse bm25.run.gz other.csv:difficulty", "have no document in common"),
        ("fuse bm25.run.gz scores.csv:difficulty --method max", "choose one of rrf, isr"),
        ("rerank bm25.run.gz --scores other.csv:mine", "it has docno, difficulty"),
        ("index search old --queries queries.tsv", "is of format 0, this version reads"),
        ("rank learn bm25.run.gz --qrels qrels -o X", "there are no features; give"),
        ("rank learn bm25.run.gz --qrels qrels", "there is nothing to do"),
        ("rank apply bm25.run.gz bm25.run.gz", "bundle"),
        ("rank apply index bm25.run.gz --index index", "has no bundle.json"),
    ],
)
def test_bad_input_gets_one_sentence(run: Run, folder: Path, command: str, message: str) -> None:
    (folder / "other.csv").write_text("docno,difficulty\nzzz,1\n")
    (folder / "old").mkdir(exist_ok=True)
    (folder / "old" / "index.json").write_text('{"format": 0}')
    done = run(command, status=2)
    assert message in done.stderr
    assert done.stderr.startswith("understand: ")
    assert done.stderr.count("\n") == 1
