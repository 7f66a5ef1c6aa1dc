"""Palotti, Zuccon & Hanbury, "A Study of Web Page Understandability for Consumer Health Search"
(2018, in manuscript): Tables 1 to 5, as far as the data are public.

The text of the pages, the background corpora, and the runs GUIR and ECNU of task 1 are not public.
Public data are counts of HTML elements of judged pages, the labels, and 14 runs of task 1; five of
these are BM25 by Terrier with a spam filter.
"""

import csv
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from scripts.reproduce.clef import evaluated, runs_of
from scripts.reproduce.verdicts import Row, Table, printed
from scripts.shared import lines_of

from understandability.arrays import Floats
from understandability.evaluation.correlation import kendall_tau_b, pearson, spearman
from understandability.evaluation.scales import parse_scale
from understandability.inputs.run import Labels
from understandability.inputs.runs import read_labels
from understandability.study.gains import COMBOS, parse_gain

COEFFICIENTS = {"pearson": pearson, "spearman": spearman, "kendall": kendall_tau_b}
COUNTS = {"Number of P tags": "n_ps", "Number of lists": "n_lists"}
NO_TEXT = "the text of the pages is not public here"
# Values per document in the folder `analyser` of joaopalotti/clef_readability on GitHub:
# (year, method of Table 3) -> the file, and its column. The values come from the pipeline of the
# file.
PUBLISHED_VALUES = {
    ("2016", "CHV mean score for all concepts"): (
        "clef2016_metamap_chv_msh.txt",
        "avg_chv_value_all",
    ),
    ("2016", "Number of MeSH concepts"): ("clef2016_metamap_chv_msh.txt", "n_msh_concepts"),
    ("2016", "Number of MeSH disease concepts"): (
        "clef2016_metamap_chv_msh.txt",
        "n_msh_dsyn_concepts",
    ),
}
# Files of the repository whose name promises a cell that their rows cannot give.
WRONG_PAGES = {
    ("2015", "CHV mean score for all concepts"): "clef2015_metamap_chv.txt",
    ("2015", "Number of MeSH concepts"): "clef2015_metamap_msh.txt",
}
# Each part of a file starts with a row whose docno has this prefix, often without a line break.
PART_PREFIX = "../data/clef16docs/"
# Cells whose feature is published, but from another pipeline than the printed one.
OTHER_PIPELINES = {
    ("2016", "Number of pronouns"): (
        "clef2016_nltk_jst_nfp.txt of the study's repository has only the share of pronouns "
        "(column PRON), from jusText without forced periods; print counts them with "
    ),
}
ANALYSER = "study2018"  # the data folder for these files, next to clef2015 and clef2016
PIPELINES = {
    "Jst": "jusText",
    "Boi": "boilerpipe",
    "Naive": "naive text",
    "FP": "forced periods",
    "NFP": "no forced periods",
    "?": "pipeline not printed",
}
# Printed column -> our measure of the first ten documents.
COLUMNS = {
    "RBP": "RBP(p=0.8)@10",
    "uRBP": "uRBP(p=0.8)@10",
    "uRBP_star": "uRBP(p=0.8,judged_only=True)@10",
    "RBP_u": "RBPu(p=0.8)@10",
    "HRBP": "HRBP(p=0.8)@10",
    "Unj": "Judged@10",
    "RBP_r_star": "RBP(p=0.8,judged_only=True)@10",
    "RBP_u_star": "RBPu(p=0.8,judged_only=True)@10",
    "HRBP_star": "HRBP(p=0.8,judged_only=True)@10",
}
RESIDUALS = {
    "RBP_res, first ten": "residual(RBP(p=0.8)@10)",
    "RBP_res, uncut": "residual(RBP(p=0.8))",
    "uRBP_res, first ten": "residual(uRBP(p=0.8)@10)",
    "uRBP_res, uncut": "residual(uRBP(p=0.8))",
}


def tables(data: Path, published: Path) -> list[Table]:
    """Return Tables 1, 3, 4 and 5; Table 2 has no numbers."""
    return [
        table_1(published),
        table_3(data, published),
        table_4(published),
        table_5(data, published),
    ]


def table_1(published: Path) -> Table:
    """Check the arithmetic in the sizes of the background corpora; no more is possible."""
    lines = printed(published, "study2018_table1")
    value = {(line["corpus"], line["statistic"]): line["value"] for line in lines}
    rows = []
    for corpus in dict.fromkeys(line["corpus"] for line in lines):
        per_document = value[corpus, "words per document"]
        ratio = float(value[corpus, "words"]) / float(value[corpus, "documents"])
        rows.append(
            Row(f"{corpus}: words per document", per_document, ratio, "print's words / documents")
        )
        rows += [
            Row(f"{corpus}: {line['statistic']}", line["value"], None, "their corpora are not here")
            for line in lines
            if line["corpus"] == corpus and line["statistic"] != "words per document"
        ]
    return Table(
        "Study 2018, Table 1",
        tuple(rows),
        (
            "For two corpora print's words per document are not its words by its documents.",
            "Table 2 lists features, not numbers: `understand features --list` has ours, with the "
            "names and the sources.",
        ),
    )


def table_3(data: Path, published: Path) -> Table:
    """Correlate published feature values with the labels of relevant documents."""
    folder = data / "clef" / "clef2016"
    names, counts = html_counts(folder / "html_features.tsv.gz")
    labels = relevant_labels(folder / "task2.qrels.gz", folder / "task2.qunder.gz")
    docnos = [docno for docno in labels if docno in counts]
    targets = [labels[docno] for docno in docnos]
    rows = []
    for line in printed(published, "study2018_table3"):
        what = f"{line['year']}, {line['method']} ({line['extraction']} {line['sentence_ends']})"
        column = COUNTS.get(line["method"]) if line["year"] == "2016" else None
        published_values = None if column else values_of(data, line["year"], line["method"])
        for coefficient, compute in COEFFICIENTS.items():
            if published_values is not None:
                values, truth, why = published_values
                size = abs(compute(values, truth))
                rows.append(Row(f"{what}: {coefficient}", line[coefficient], size, why))
                continue
            if column is None:
                rows.append(Row(f"{what}: {coefficient}", line[coefficient], None, missing(line)))
                continue
            ours = compute([counts[docno][names.index(column)] for docno in docnos], targets)
            why = f"{len(docnos):,} relevant documents, mean label, size of the coefficient"
            rows.append(Row(f"{what}: {coefficient}", line[coefficient], abs(ours), why))
    return Table(
        "Study 2018, Table 3",
        tuple(rows),
        (
            "Print has 3,298 relevant and assessed documents; signs are dropped in print.",
            "The study's repository (joaopalotti/clef_readability on GitHub, folder analyser, also "
            "in its history) has values per document of some features. To compute their cells, put "
            f"its files into the folder clef/{ANALYSER} of the data.",
            "The counts are those published with the study's code, of pages that may have been "
            "parsed otherwise for print. `understand grid` makes the whole table of any "
            "labelled pages.",
        ),
    )


def relevant_labels(qrels_path: Path, ease_path: Path) -> dict[str, float]:
    """Return the mean label of each document that is relevant to some topic and has a label."""
    qrels = read_labels(qrels_path)
    labels = mean_labels(read_labels(ease_path))
    names = qrels.docnos.to_pylist()
    relevant = (names[i] for i in np.unique(qrels.docno_ids[qrels.values >= 1]).tolist())
    return {docno: labels[docno] for docno in relevant if docno in labels}


def values_of(data: Path, year: str, method: str) -> tuple[Floats, Floats, str] | None:
    """Return the published values of a feature, the labels, and the source; None if missing.

    A file is a CSV table with a header; its first column is the docno. It was joined from parts:
    the first row of a part may follow the last row of the part before it on the same line.
    """
    file, column = PUBLISHED_VALUES.get((year, method), ("", ""))
    path = data / "clef" / ANALYSER / file
    if not file or not path.is_file():
        return None
    folder = data / "clef" / f"clef{year}"
    task = "task2." if year == "2016" else ""
    suffix = "gz" if year == "2016" else "txt.gz"
    labels = relevant_labels(folder / f"{task}qrels.{suffix}", folder / f"{task}qunder.{suffix}")
    text = path.read_text(encoding="utf-8").replace(PART_PREFIX, "\n")
    reader = csv.DictReader(text.splitlines())  # skips empty lines
    docno_column = (reader.fieldnames or [""])[0]
    values = {row[docno_column]: float(row[column]) for row in reader}
    docnos = [docno for docno in labels if docno in values]
    why = f"{len(docnos):,} relevant documents; {file}, {column}; size of the coefficient"
    return (
        np.array([values[docno] for docno in docnos]),
        np.array([labels[docno] for docno in docnos]),
        why,
    )


def missing(line: Mapping[str, str]) -> str:
    """Return the reason why a cell cannot be computed: a missing file, or unpublished values."""
    file, column = PUBLISHED_VALUES.get((line["year"], line["method"]), ("", ""))
    if file:
        return f"needs {file} (column {column}) of the study's repository"
    wrong = WRONG_PAGES.get((line["year"], line["method"]))
    if wrong:
        return (
            f"needs values of the pages of 2015; {wrong} of the study's repository has, despite "
            "its name, pages of 2016 (their docnos are of ClueWeb12)"
        )
    if line["extraction"] in ("None", ""):
        return f"needs the elements of the pages of {line['year']}; their HTML is not public here"
    pipeline = ", ".join(PIPELINES[part] for part in (line["extraction"], line["sentence_ends"]))
    other = OTHER_PIPELINES.get((line["year"], line["method"]))
    if other:
        return f"{other}{pipeline}"
    return f"we found no published values per document ({pipeline}); the text is not public"


def html_counts(path: Path) -> tuple[list[str], dict[str, Floats]]:
    """Read the names of the counts, and the counts of each document."""
    rows = (line.rstrip("\n").split("\t") for line in lines_of(path))
    _, *names = next(rows)
    return names, {docno: np.array(values, dtype=float) for docno, *values in rows}


def mean_labels(labels: Labels) -> dict[str, float]:
    """Return the mean label of each document over its topics."""
    sums, counts = np.bincount(labels.docno_ids, labels.values), np.bincount(labels.docno_ids)
    names = labels.docnos.to_pylist()
    return {names[i]: float(sums[i] / counts[i]) for i in np.flatnonzero(counts).tolist()}


def table_4(published: Path) -> Table:
    """Compare the labels for learning to rank for all pairs of R = 0, 1, 2 and U = 0 ... 100."""
    relevance, ease = (grid.ravel() for grid in np.meshgrid([0.0, 1.0, 2.0], np.arange(101.0)))
    rows = []
    for line in printed(published, "study2018_table4"):
        text = line["label"]
        if line["condition"]:
            text = f"{text} if {line['condition']} else {line['otherwise']}"
        combo = COMBOS[line["name"].lower().replace(" ", "")]
        same = parse_gain(text)(relevance, ease) == parse_gain(combo)(relevance, ease)
        why = f"print: {text}; ours: {combo}"
        rows.append(Row(f"{line['name']}: equal labels", str(len(same)), int(same.sum()), why))
    return Table("Study 2018, Table 4", tuple(rows))


def table_5(data: Path, published: Path) -> Table:
    """Compare the BM25 row with Terrier's BM25 of task 1; the other rows need unpublished data."""
    folder = data / "clef" / "clef2016"
    measures = [*COLUMNS.values(), *RESIDUALS.values()]
    scale = {"u": parse_scale("lower-easier:40:0..100")}
    result = evaluated(
        folder, runs_of(folder / "runs_t1"), measures, scale, task="task2.", variations=True
    )
    lines = printed(published, "study2018_table5")
    bm25 = next(line for line in lines if line["method"] == "none" and line["based_on"] == "BM25")
    means = {
        run: dict(zip(measures, (100 * values).tolist(), strict=True))
        for run, values in result.means.items()
    }
    for run_means in means.values():
        run_means["Judged@10"] = 1 - run_means["Judged@10"] / 100

    def distance(run: str) -> float:
        return max(abs(means[run][m] - float(bm25[column])) for column, m in COLUMNS.items())

    nearest = min(means, key=distance)
    rows = []
    for column, measure in (COLUMNS | RESIDUALS).items():
        unit = 1.0 if column == "Unj" else 100.0  # percent, except for the share of unjudged pages
        print_ = bm25[column.partition(",")[0]]
        rows.append(Row(f"BM25: {column}", print_, means[nearest][measure], nearest, unit))
    for line in lines:
        if line is not bm25:
            what = f"row {line['index']}, {line['method']} ({line['based_on']})"
            is_missing = line["based_on"] in ("GUIR", "ECNU")
            missing_run = f"the run {line['based_on']} of task 1 is not public here"
            why = missing_run if is_missing else NO_TEXT
            rows.append(Row(what, line["RBP"], None, why))
    return Table(
        "Study 2018, Table 5",
        tuple(rows),
        (
            f"The nearest of the 14 runs of task 1 by its largest distance is {nearest}; print's "
            "BM25 is no run of these.",
            "A residual of the first ten cannot pass 10.74 less RBP's mass; print's 15 to 20 of "
            "learning to rank need one over the uncut ranking, which is the nearer one here, too.",
            "H of print's means is not print's HRBP: it is the mean of H over queries, as here.",
            "The text of section 8.1 gives 21.58 for BM25 re-ranked by Dale-Chall at 15; the table "
            "has 23.22 there, and 21.58 at 20.",
            "`python -m scripts.reproduce.ranking_clef2016` has the table's layout for re-ranking "
            "by counts of HTML elements.",
        ),
    )
