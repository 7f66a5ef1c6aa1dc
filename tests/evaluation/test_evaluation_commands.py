"""The commands as a user runs them: outputs, remarks, and one sentence for every mistake."""

import csv
import gzip
import io
import json
import shutil
from pathlib import Path

import pyarrow as pa
import pytest
from tests.conftest import Run

from understandability.inputs.tables import write_table

RUN = "q1 Q0 d1 1 3.0 t\nq1 Q0 d2 2 2.0 t\nq1 Q0 d3 3 1.0 t\nq2 Q0 d1 1 1.0 t\n"
OTHER = "q1 Q0 d2 1 3.0 t\nq1 Q0 d3 2 2.0 t\nq2 Q0 d9 1 1.0 t\n"
QRELS = "q1 0 d1 1\nq1 0 d2 2\nq2 0 d1 0\nq2 0 d9 1\n"
QUNDER = "q1 0 d1 10\nq1 0 d2 90\nq2 0 d1 40\nq2 0 d9 39\n"
QTRUST = "q1 0 d1 3\nq1 0 d2 1\nq2 0 d1 2\nq2 0 d9 0\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Two runs (one compressed), one of other documents, and labels of three dimensions."""
    (tmp_path / "a.run.gz").write_bytes(gzip.compress(RUN.encode()))
    (tmp_path / "b.txt").write_text(OTHER)
    (tmp_path / "else.run").write_text("q1 Q0 clueweb-1 1 2.0 t\n")
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "qunder").write_text(QUNDER)
    (tmp_path / "qtrust").write_text(QTRUST)
    return tmp_path


@pytest.fixture
def run(understand: Run, files: Path) -> Run:
    """A command as it is written, in the folder of the files."""
    return lambda command, **more: understand(*command.split(), cwd=files, **more)


COMMON = "a.run.gz b.txt --qrels qrels --understandability qunder --scale lower-easier:40"
EVALUATE = f"evaluate {COMMON}"


def test_evaluate_writes_settings_means_and_values(run: Run, files: Path) -> None:
    """JSON with the three parts that are promised, runs called by their file names."""
    run(f"{EVALUATE} -m RBP(p=0.5)@10 -m uRBP(p=0.5)@10 -o out.json", status=0)
    document = json.loads((files / "out.json").read_text())
    assert list(document["runs"]) == ["a", "b"]
    assert document["runs"]["a"] == {"RBP(p=0.5)@10": 0.375, "uRBP(p=0.5)@10": 0.25}
    assert document["runs"]["b"] == {"RBP(p=0.5)@10": 0.5, "uRBP(p=0.5)@10": 0.25}
    assert document["per_query"]["a"]["RBP(p=0.5)@10"] == {"q1": 0.75, "q2": 0.0}
    assert document["conventions"]["order"] == "rank"
    assert document["conventions"]["dimensions"]["u"]["scale"] == "lower-easier:40"


def test_evaluate_shows_a_table_with_the_best_marked(run: Run) -> None:
    """Best of each column by *, runs by their first measure, choices above."""
    out = run(f"{EVALUATE} -m RBP(p=0.5) -m uRBP(p=0.5)").stdout
    header, columns, first, second, legend = out.splitlines()
    assert legend == "* is the best of its column"
    assert "order by rank" in header
    assert columns.split() == ["run", "RBP(p=0.5)", "uRBP(p=0.5)"]
    assert first.split() == ["b", "0.5000*", "0.2500*"]
    assert second.split() == ["a", "0.3750", "0.2500*"]
    one = run("evaluate b.txt --qrels qrels -m RBP(p=0.5)")
    assert one.stdout.splitlines()[2].split() == ["b", "0.5000"]


@pytest.mark.parametrize("per_query", [False, True])
def test_evaluate_writes_rows_and_trec_eval_lines(run: Run, files: Path, per_query: bool) -> None:
    """CSV in the long form with its conventions beside it; lines as trec_eval prints them."""
    command = f"{EVALUATE} -m RBP(p=0.5) {'--per-query' * per_query}"
    run(f"{command} -o o.csv")
    rows = list(csv.DictReader(io.StringIO((files / "o.csv").read_text())))
    assert {row["query"] for row in rows} == ({"all", "q1", "q2"} if per_query else {"all"})
    assert float(rows[0]["value"]) == 0.375
    assert "order" in json.loads((files / "o.csv.settings.json").read_text())
    lines = run(f"{command} --format trec_eval").stdout.splitlines()
    assert lines[0].split("\t") == [f"{'runid':<22}", "all", "a"]
    assert f"{'RBP(p=0.5)':<22}\tall\t0.3750" in lines
    assert (f"{'RBP(p=0.5)':<22}\tq1\t0.7500" in lines) == per_query


def test_three_dimensions(run: Run) -> None:
    result = run(
        f"{EVALUATE} --trust qtrust --trust-scale higher-better:2 --dimension beauty=qtrust "
        "--dimension-scale beauty=higher-better:3 -m uRBP(p=0.5,dims=[u,trust]) "
        "-m H(RBP(p=0.5),RBPu(p=0.5),RBPtrust(p=0.5),w=[1,1,2]) "
        "-m RBPbeauty(p=0.5) -m HRBP(p=0.5,wtrust=1) -o -"
    )
    means = json.loads(result.stdout)["runs"]["a"]
    assert means["uRBP(p=0.5,dims=[u,trust])"] == 0.25
    assert means["RBPbeauty(p=0.5)"] == 0.25
    # q1: RBP 3/4, RBPu 1/2, RBPtrust 1/2; q2: RBP 0.
    assert means["H(RBP(p=0.5),RBPu(p=0.5),RBPtrust(p=0.5),w=[1,1,2])"] == pytest.approx(
        4 / (4 / 3 + 2 + 4) / 2
    )
    assert means["HRBP(p=0.5,wtrust=1)"] == pytest.approx(3 / (4 / 3 + 2 + 2) / 2)


def test_labels_that_are_none_are_left_out(run: Run) -> None:
    command = f"{EVALUATE} --trust qtrust --trust-scale higher-better:2:0..2 -m RBPtrust(p=0.5)"
    refused = run(command, status=2)
    assert "line 1 (document d1): label 3 is outside the declared scale" in refused.stderr
    for option in ("3", "trust=3"):
        result = run(f"{command} -o - --not-a-label {option}")
        assert json.loads(result.stdout)["runs"]["a"]["RBPtrust(p=0.5)"] == 0.25


def test_graded_gains_and_simulated_users(run: Run, files: Path) -> None:
    """A table of gains; a score table with step and arctan users in place of labels."""
    graded = run(f"{EVALUATE} -m uRBPgr(p=0.5) -o - --gains 10:1,90:.5,40:0,39:0")
    assert json.loads(graded.stdout)["runs"]["a"]["uRBPgr(p=0.5)"] == (0.5 + 0.125) / 2
    scores = pa.table({"docno": ["d1", "d2", "d9"], "fog": [9.0, 20.0, 12.0], "lix": [1.0, 2, 3]})
    write_table(scores, str(files / "scores.parquet"))
    command = (
        "evaluate a.run.gz --qrels qrels --understandability scores.parquet --scale lower-easier "
        "-m uRBP(p=0.5) -o -"
    )
    assert "choose one of fog, lix" in run(command).stderr
    step = run(f"{command} --column fog --user step --threshold 15")
    assert json.loads(step.stdout)["runs"]["a"]["uRBP(p=0.5)"] == 0.25
    arctan = run(f"{command} --column fog --user arctan --threshold 15 --noise-scale pi")
    document = json.loads(arctan.stdout)
    assert 0.2 < document["runs"]["a"]["uRBP(p=0.5)"] < 0.375
    assert document["conventions"]["measures"]["uRBP(p=0.5)"].startswith(
        "uRBP(p=0.5,dims=[u],user=arctan,th=15,s=pi,norm=none"
    )


def test_presets_and_their_options(run: Run) -> None:
    """A preset sets the choices, an option goes before it, the output tells them."""
    result = run(f"{EVALUATE} --preset trec_eval --mean-over qrels -m nDCG@10 -o -")
    chosen = json.loads(result.stdout)["conventions"]
    names = ("preset", "order", "dcg", "mean_over")
    assert [chosen[name] for name in names] == ["trec_eval", "score", "log2", "qrels"]


def test_remarks_are_on_standard_error_and_strict_refuses(run: Run, files: Path) -> None:
    """Counted over all runs; --quiet says nothing."""
    (files / "b.txt").write_text(OTHER.replace(" 1 3.0", " 0 3.0").replace(" 2 2.0", " 1 2.0"))
    command = f"{EVALUATE} -m RBP(p=0.5)"
    odd = "queries whose ranks start at 0: 1"
    assert f"understand: {odd} in 1 of 2 runs (first: b, query q1)" in run(command).stderr
    assert run(f"{command} --quiet").stderr == ""
    strict = run(f"{command} --strict", status=2)
    assert f"run b is refused under --strict: {odd}" in strict.stderr


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (f"{EVALUATE} --scale 40", "does not state whether lower or higher labels are easier"),
        (f"{EVALUATE} -m uRBPgr", "graded gains need a table of gains"),
        (f"{EVALUATE} --qrels none", "none cannot be read"),
        (f"{EVALUATE} --not-a-label three", "--not-a-label must be a number"),
        (f"{EVALUATE} --noise-scale tau", "--noise-scale must be a number or pi, not 'tau'"),
        (f"{EVALUATE} --dimension beauty", "write --dimension NAME=FILE"),
        (f"{EVALUATE} -o out.xls", "is not in a supported format; write .json, .tex"),
        ("evaluate qrels --qrels qrels", "this looks like qrels"),
        ("evaluate else.run --qrels qrels",
         "have no document in common (clueweb-1 against d1, ...); give the qrels"),
        (f"correlate {COMMON}", "at least two measures"),
        ("compare b.txt --qrels qrels", "at least two runs"),
    ],
)  # fmt: skip
def test_a_mistake_gets_one_sentence(run: Run, command: str, message: str) -> None:
    """On standard error, with status 2; the last of an option's values counts."""
    told = run(f"{command} -m RBP@10 -q", status=2)
    assert told.stderr.startswith("understand: ")
    assert message in told.stderr
    assert told.stderr.count("\n") == 1


def test_correlate_prints_matrices_and_movers(run: Run, files: Path) -> None:
    command = f"correlate {COMMON} -m RBP(p=0.5) -m uRBP(p=0.5,user=step,th=20)"
    result = run(f"{command} -o c.json", status=0)
    told = ("tau_b", "tau_ap (the row is the reference)", "ubire-overlap", "rbo", "what moves")
    assert all(name in result.stdout for name in told)
    document = json.loads((files / "c.json").read_text())
    assert document["correlations"]["tau_ap"]["RBP(p=0.5)"]["RBP(p=0.5)"] == 1.0
    assert document["correlations"]["tau_ap"]["RBP(p=0.5)"]["uRBP(p=0.5,user=step,th=20)"] == -1.0
    chosen = run(f"{command} --coefficient pearson --movers 1").stdout
    assert "pearson" in chosen
    assert "tau_b" not in chosen


def test_compare_prints_each_comparison_once(run: Run, files: Path) -> None:
    """Against the first run and the best; every probability stands in the output."""
    result = run(f"compare {COMMON} -m RBP(p=0.5) -o c.csv", status=0)
    assert "RBP(p=0.5): against the first run, a (0.3750)" in result.stdout
    assert result.stdout.count("RBP(p=0.5): against") == 1  # the other way round is no news
    turned = run("compare b.txt a.run.gz --qrels qrels -m RBP")
    assert turned.stdout.count(": against the first run, which is the best, b") == 1
    shutil.copy(files / "b.txt", files / "c.txt")
    three = run(f"compare c.txt {COMMON} -m RBP(p=0.5)").stdout
    assert "RBP(p=0.5): against the first run, which is the best, c" in three
    three = run("compare a.run.gz c.txt b.txt --qrels qrels -m RBP(p=0.5)").stdout
    assert "against the first run, a" in three
    assert "against the best run, c" in three
    rows = list(csv.DictReader(io.StringIO((files / "c.csv").read_text())))
    assert {(row["run"], row["against"]) for row in rows} == {("b", "first"), ("a", "best")}
    assert float(rows[0]["difference"]) == 0.125
    assert 0 < float(rows[0]["p_randomisation_holm"]) <= 1


def test_simulate_prints_the_table_of_the_paper(run: Run, files: Path) -> None:
    """15 kinds of systems, four measures, mean ± standard deviation."""
    result = run("simulate systems -o s.csv", status=0)
    assert len(result.stdout.splitlines()) == 16
    assert result.stdout.count("±") == 60
    rows = list(csv.DictReader(io.StringIO((files / "s.csv").read_text())))
    assert len(rows) == 60
    small = run("simulate systems --topicality 1 --mean 0 --deviation 0 --runs 2 -m uRBP(p=0.5)@1")
    assert small.stdout.splitlines()[1].split()[-3:] == ["0.500", "±", "0.000"]
    assert "numbers with commas" in run("simulate systems --mean low").stderr


def test_plots_are_written(run: Run, files: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs the extra plots (matplotlib)")
    run(f"plot systems {COMMON} -m RBP@10 -m uRBP@10 -o a.svg", status=0)
    assert (files / "a.svg").read_bytes().startswith(b"<?xml")
    assert "not as .gif" in run(f"plot systems {COMMON} -m RBP -m uRBP -o c.gif").stderr


def test_all_runs_of_a_year_with_five_measures(understand: Run, tmp_path: Path) -> None:
    """46 compressed runs with three dimensions, the number of CLEF eHealth 2016."""
    queries, docnos = range(5), range(30)
    for number in range(46):
        ranked = [(query, (7 * rank + number) % 30) for query in queries for rank in docnos]
        lines = (
            f"q{query} Q0 d{docno} {rank % 30 + 1} {30 - rank % 30} run{number}\n"
            for rank, (query, docno) in enumerate(ranked)
        )
        (tmp_path / f"run{number}.run.gz").write_bytes(gzip.compress("".join(lines).encode()))
    for name, largest, step in (("rel", 2, 1), ("u", 100, 13), ("trust", 100, 17)):
        labels = (
            f"q{query} 0 d{docno} {docno * step % (largest + 1)}\n"
            for query in queries
            for docno in docnos
        )
        (tmp_path / f"{name}.txt").write_text("".join(labels))
    understand(
        "evaluate", *sorted(tmp_path.glob("*.run.gz")), "--qrels", tmp_path / "rel.txt",
        "--understandability", tmp_path / "u.txt", "--scale", "lower-easier:40:0..100",
        "--trust", tmp_path / "trust.txt", "--trust-scale", "higher-better:50",
        "-m", "RBP(p=0.8)@10", "-m", "uRBP(p=0.8)@10", "-m", "uRBPgr(p=0.8)@10",
        "-m", "H(RBP(p=0.8)@10,RBPu(p=0.8)@10,RBPtrust(p=0.8)@10,w=[1,1,1])", "-m", "nDCG@10",
        "-o", tmp_path / "out.json", "-q", status=0,
    )  # fmt: skip
    document = json.loads((tmp_path / "out.json").read_text())
    assert len(document["runs"]) == 46
    assert all(len(means) == 5 for means in document["runs"].values())
    # Run 0 ranks documents 0, 7, 14, ... of which those not divisible by 3 are relevant.
    gains = (0.2 * 0.8**rank for rank in range(10) if 7 * rank % 30 % 3)
    assert document["runs"]["run0"]["RBP(p=0.8)@10"] == pytest.approx(sum(gains), abs=1e-6)


def test_tables_are_latex_markdown_and_wide(run: Run, files: Path) -> None:
    """By suffix or by --format; measures of ir_measures stand in them by trec_eval's names."""
    command = f"{EVALUATE} -m RBP(p=0.5) -m nDCG@10"
    run(f"{command} -o out.tex --correction bonferroni")
    latex = (files / "out.tex").read_text()
    assert latex.startswith("\\begin{table}\n\\centering\n\\caption{Means over 2 queries")
    assert "\\begin{tabular}{lrr}\n\\toprule\nrun & RBP(p=0.5) & nDCG@10 \\\\" in latex
    assert "Bonferroni's correction" in latex
    markdown = run(f"{command} --format markdown").stdout
    assert markdown.splitlines()[2].startswith("| b | **0.5000** |")
    wide = run(f"{command} --format csv --wide").stdout
    assert wide.splitlines()[0] == "run,RBP(p=0.5),nDCG@10"
    compared = run(f"compare {COMMON} --format markdown").stdout
    assert "| p (wilcoxon) |" in compared
    assert "p: two-tailed, not corrected." in compared
    corrected = run(f"compare {COMMON} --format latex --corrected").stdout
    assert "corrected by Holm" in corrected
    assert "p_wilcoxon_bonferroni" in run(f"compare {COMMON} --format csv").stdout


def test_all_pairs_are_compared_by_the_tests_that_are_wanted(run: Run) -> None:
    result = run(f"compare {COMMON} -m RBP(p=0.5)@10 --pairs -o - --test wilcoxon")
    [row] = json.loads(result.stdout)["comparisons"]
    assert (row["run"], row["reference"], row["against"]) == ("b", "a", "pairs")
    assert {"p_wilcoxon", "p_wilcoxon_holm", "effect_low", "queries_needed"} <= set(row)
    assert "p_t" not in row


def test_bounds_say_what_documents_without_a_label_could_change(run: Run) -> None:
    command = f"bounds {COMMON} -m RBP(p=0.5)@10"
    assert "whatever labels the unjudged documents get" in run(command).stdout
    document = json.loads(run(f"{command} -o -").stdout)
    assert document["conventions"]["order"] == "rank"
    [bound] = document["bounds"]
    # d3 without label stands at rank 3 of a, 2 of b; over two queries.
    assert bound["difference"] == pytest.approx(0.125)
    assert (bound["low"], bound["high"]) == (pytest.approx(0.125), pytest.approx(0.1875))


def test_the_experiment_of_the_urbp_papers_is_one_command(understand: Run, tmp_path: Path) -> None:
    """Pages, runs and qrels in; users of the papers, their quantiles and a figure out."""
    pages = tmp_path / "pages"
    pages.mkdir()
    easy = "You have flu. Rest and drink water. It will pass. See your doctor if not."
    hard = (
        "Pharmacological immunomodulation necessitates comprehensive electrophysiological "
        "investigation preceding individualised administration of antiarrhythmic medication."
    )
    for name, text in (("easy", easy), ("hard", hard)):
        (pages / f"{name}.html").write_text(f"<p>{text}</p>")
    for name, order in (("a", ("hard.html", "easy.html")), ("b", ("easy.html", "hard.html"))):
        lines = [f"q Q0 {d} {n} {-n} t\n" for n, d in enumerate(order, 1)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    (tmp_path / "qrels").write_text("q 0 hard.html 2\nq 0 easy.html 1\n")
    command = "simulate users a.run b.run --qrels qrels --pages pages"
    result = understand(
        *command.split(), "--plot", "users.svg", "-o", "users.json", cwd=tmp_path, status=0
    )
    assert "2 documents with a score, 2 runs" in result.stdout
    # RBP does not tell the runs apart, both documents being relevant: that is said, not nan alone.
    assert "The RBP(p=0.8) of all systems is the same" in result.stderr
    document = json.loads((tmp_path / "users.json").read_text())
    assert [(row["user"], row["threshold"]) for row in document["users"]] == [
        (user, th) for user in ("step", "arctan") for th in (10.0, 15.0, 20.0)
    ]
    assert {row["first"] for row in document["users"]} == {"b"}
    assert "50%" in document["quantiles"]
    assert (tmp_path / "users.svg").exists()
    other = "simulate users a.run --qrels qrels --pages none --plot users.gif"
    refused = understand(*other.split(), cwd=tmp_path)
    assert "not as .gif" in refused.stderr  # before the pages are looked at


def test_labels_by_two_models_are_not_mixed_in_silence(run: Run, files: Path) -> None:
    """Estimates of different models in one evaluation; of one model, or quietly, nothing."""
    table = pa.table({"docno": ["d1", "d2", "d9"], "difficulty": [10.0, 90.0, 39.0]})
    for name, model in (("mine", "open@1"), ("theirs", "llr@2")):
        settings = {"model": model, "scale": "labels.v1"}
        write_table(table, f"{files}/{name}.parquet", settings=settings)
    command = (
        "evaluate b.txt --qrels qrels -m RBPu -m RBPreader --understandability mine.parquet "
        "--column difficulty --scale lower-easier:40 --dimension-scale reader=lower-easier:40"
    )
    mixed = run(f"{command} --dimension reader=theirs.parquet", status=0)
    assert "estimates of several models must not be mixed" in mixed.stderr
    assert "theirs.parquet is by llr@2 on scale labels.v1" in mixed.stderr
    same = run(f"{command} --dimension reader=mine.parquet")
    quiet = run(f"{command} --dimension reader=theirs.parquet --quiet")
    assert "mixed" not in same.stderr + quiet.stderr
    assert same.stdout == mixed.stdout
