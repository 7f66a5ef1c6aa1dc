"""What the program suggests can be done: examples of the help, "Next: ...", hints in messages.

Each command runs as it is printed, in a folder with small files of the names that it uses.
"""

import ast
import gzip
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.conftest import PANEL, ROOT, SAMPLES, Run
from tests.inputs.test_warc import record, response

from understandability.cli import COMMANDS

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("few_resamples", "one_core")]
TEXTS = [" ".join(p.read_text("utf-8").split())[:1200] for p in PANEL.glob("*.txt")]
# The easier first, by the length of their words.
TEXTS = sorted((text.replace('"', "'") for text in TEXTS), key=lambda t: len(t) / len(t.split()))
DOCNOS = [f"clueweb12-0000tw-00-{number:05}" for number in range(1, len(TEXTS) + 1)]
QUERIES = range(1, 7)
# What a newcomer does not have: a language model, a licence of a vocabulary, a client that asks.
NOT_HERE = ("rewrite", "resources install", "serve", "mcp", "grid")


def run_of(step: int) -> str:
    """A run of all queries; another step, another order."""
    order = sorted(range(len(DOCNOS)), key=lambda n: n * step % 61)
    lines = [
        f"q{q} Q0 {DOCNOS[n]} {rank} {99 - rank} run{step}\n"
        for q in QUERIES
        for rank, n in enumerate(order[q::2], 1)
    ]
    return "".join(lines)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All that examples name, made of the panel; the commands add to it in turn."""
    here = tmp_path_factory.mktemp("newcomer")
    for name in ("crawl", "runs", "wikipedia", "docs", "pages"):
        (here / name).mkdir()
    crawl = b"".join(
        record(response(f"<p>{text}</p>".encode()), WARC_TREC_ID=docno, WARC_Target_URI="http://a/")
        for docno, text in zip(DOCNOS, TEXTS, strict=True)
    )
    for name in ("crawl.warc.gz", "crawl/1.warc.gz"):
        (here / name).write_bytes(gzip.compress(crawl))
    (here / "page.html").write_bytes((SAMPLES / "hard.html").read_bytes())
    for name in ("pages/a.html", "wikipedia/a.html", "docs/a.html", "README.md"):
        (here / name).write_bytes((SAMPLES / "easy.html").read_bytes())
    pages = {"url": DOCNOS, "content": TEXTS, "lang": ["en"] * len(TEXTS)}
    pq.write_table(pa.table(pages), here / "pages.parquet")
    for place, name in enumerate(("reddit", "wiki", "pubmed")):
        some = [half for t in TEXTS[24 * place :][:24] for half in (t[:600], t[600:]) if half]
        lines = [json.dumps({"id": str(n), "text": text}) + "\n" for n, text in enumerate(some)]
        (here / f"{name}.jsonl.gz").write_bytes(gzip.compress("".join(lines).encode()))
    pq.write_table(pa.table({"id": DOCNOS, "text": TEXTS}), here / "pubmed.parquet")
    rows = [f'"{t}",{n // 9},site{n % 20}\n' for n, t in enumerate(TEXTS)]
    for name, some in (("ratings", rows), ("judged", rows[::2]), ("others", rows[1::2])):
        (here / f"{name}.csv").write_text("text,rating,site\n" + "".join(some))
    shutil.copytree(ROOT / "docs" / "howto" / "ask" / "answers", here / "answers")
    shutil.copy(ROOT / "docs" / "howto" / "ask" / "texts.csv", here)
    for step, names in ((1, ("a", "baseline", "bm25")), (7, ("b", "mine"))):
        for name in names:
            (here / f"{name}.run").write_text(run_of(step))
    for step in (1, 7, 11):
        (here / f"runs/{step}.gz").write_bytes(gzip.compress(run_of(step).encode()))
    grades = [(q, d, n) for q in QUERIES for n, d in enumerate(DOCNOS)]
    (here / "qrels.txt").write_text("".join(f"q{q} 0 {d} {n % 3}\n" for q, d, n in grades))
    (here / "qunder.txt").write_text("".join(f"q{q} 0 {d} {n % 100}\n" for q, d, n in grades))
    topics = "".join(f"<query><id>q{q}</id><title>blood</title></query>" for q in QUERIES)
    (here / "topics.xml").write_text(f"<queries>{topics}</queries>")
    return here


def runs(understand: Run, command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as it is printed; a check may find what misses its aim."""
    words = shlex.split(command)
    assert words.pop(0) == "understand", command
    found = [sorted(map(str, folder.glob(w))) if "*" in w else [w] for w in words]
    done = understand(*(word for each in found for word in each), cwd=folder)
    allowed = (0, 1) if words[0] == "check" else (0,)
    assert done.returncode in allowed, (command, done.stderr)
    return done


def answers(folder: Path) -> None:
    """Who understood what of the documents with scores: mostly the easier ones."""
    scored = pq.read_table(folder / "scores.parquet", columns=["docno", "difficulty"]).to_pylist()
    middle = sorted(row["difficulty"] for row in scored)[len(scored) // 2]
    lines = [
        f"{row['docno']},{'no' if n % 9 and row['difficulty'] > middle else 'yes'}\n"
        for n, row in enumerate(scored)
    ]
    (folder / "answers.csv").write_text("docno,understood\n" + "".join(lines))


def examples() -> list[str]:
    """Those of every help, in an order in which one makes what another reads."""
    lines = []
    for each in COMMANDS:
        paragraphs = re.split(r"\n\n+", each.help)
        texts = (re.sub(r"^Examples?: ", "", " ".join(part.split())) for part in paragraphs)
        found = [text for text in texts if text.startswith("understand ") and text[-1] != "."]
        if each.name not in NOT_HERE:
            assert found, each.name
            lines += found
    first = ("understand score", "understand features", "understand index build")
    return sorted(lines, key=lambda line: (not line.startswith(first), "calibrate" in line))


def test_the_examples_of_the_help_run(understand: Run, folder: Path) -> None:
    for more in ("-o features.parquet", "--only gunning_fog_plain -o fog.parquet"):
        runs(understand, f"understand features crawl.warc.gz {more}", folder)
    for name in ("first", "second"):  # crawl folders that an example merges
        runs(understand, f"understand score crawl.warc.gz -o {name}/", folder)
    for example in examples():
        if "calibrate" in example:
            answers(folder)
        runs(understand, example, folder)


NAMES = sorted((each.name for each in COMMANDS), key=len, reverse=True)
SUGGESTED = re.compile(
    rf"understand (?:{'|'.join(NAMES)})\b[^`\n;)']*?(?=[`;)\n']| \(|, |\. |\.?$)"
)
# What stands in a suggestion for a newcomer's own files and numbers.
OWN = {"PAGES": "pages", "OTHER_FILE": "others.csv", "FOLDER": "own", "T": "40"}
TRAIN = "train judged --labels ratings.csv --label-column rating --direction higher-harder"
# What is done, and what that suggests; the answer to one step is the state of the next.
STEPS = (
    ("page.html", "score page.html"),
    ("score page.html --reader nobody", "calibrate"),
    ("score pages -o crawled/", ""),
    ("export crawled/ --to vespa -o out/", "crawl merge crawled/ -o scores.parquet"),
    ("features page.html --only nothing", "features --list"),
    ("features page.html --bundle open", "train background"),
    ("check page.html -o checked.html", "explain"),
    ("calibrate ratings.csv --texts texts.csv -o me.json", "ask"),
    ("explain page.html --aim 0.8 -o report.html", "check --aim"),
    ("train ratings.csv", "train judged --labels ratings.csv --label-column rating"),
    ("score crawl.warc.gz -o scores.parquet", ""),
    ("calibrate answers.csv --scores scores.parquet -o me.json", "score PAGES --reader me.json"),
    # A bundle of one's own: trained, judged on other texts, its readers calibrated.
    (f"{TRAIN} --estimator linear-regressor -o own", "validate own OTHER_FILE --label-column"),
    ("validate own ratings.csv:rating:harder", "bundle show"),
    ("score crawl.warc.gz --bundle own -o scores.parquet", "calibrate"),
    (
        "calibrate answers.csv --scores scores.parquet -o mine.json",
        "score PAGES --reader mine.json --bundle FOLDER",
    ),
    ("bundle rescale open ratings.csv:rating:harder -o to", "score PAGES --bundle to --threshold"),
    (
        "train background --corpus 1=reddit.jsonl.gz --corpus 2=wiki.jsonl.gz --dimensions 5 "
        "--estimator naive-bayes-classifier -o origin",
        "bundle show origin",
    ),
    ("index search nowhere --queries topics.xml", "index build"),
    ("rank apply own bm25.run -o easy.run", "rank learn"),
)


def test_what_is_suggested_runs(understand: Run, folder: Path) -> None:
    """In the state in which it is suggested: after the command, or its refusal."""
    named = set()
    for step, expected in STEPS:
        if "--scores" in step:
            answers(folder)
        done = understand(*step.split(), cwd=folder)
        told = SUGGESTED.findall(done.stderr)
        suggestion = next((each for each in told if each.startswith(f"understand {expected}")), "")
        assert bool(suggestion) == bool(expected), (step, done.stderr)
        if expected:
            name = next(name for name in NAMES if expected.startswith(name))
            named.add(name)
            words = [OWN.get(word, word) for word in suggestion.split()]
            # The name alone of a command that needs more names it, and its help says what.
            bare = "list" not in expected and (expected == name or words[-1].startswith("--"))
            runs(understand, f"understand {name} --help" if bare else " ".join(words), folder)
    refused = understand("score", "page.html", "--reader", "mine.json", cwd=folder)
    assert "name its own bundle (--bundle FOLDER)" in refused.stderr
    help_ = understand("--help").stdout
    for start in ("score --help", "features --list", "bundle list", "resources list"):
        assert start.partition(" ")[0] in help_
        runs(understand, f"understand {start}", folder)
    assert suggested_in_source() <= named | {
        "score",
        "serve",
        "bundle list",
        "resources list",
        "resources install",
    }


def suggested_in_source() -> set[str]:
    """The commands that texts of the package name, without what documents its functions."""
    found = set()
    for path in (ROOT / "src").rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        documented = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
        texts = [
            n.value
            for n in ast.walk(tree)
            if isinstance(n, ast.Constant) and id(n) not in documented and isinstance(n.value, str)
        ]
        for text in texts:
            found |= set(re.findall(rf"understand ({'|'.join(NAMES)})\b", text))
    return found
