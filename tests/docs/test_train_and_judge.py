"""The page "From labels to an evaluation" runs as it is, on files as people have them."""

import csv
import re
import shlex
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.conftest import ROOT, Run

from understandability.model.bundle import load_bundle

PAGE = (ROOT / "docs" / "howto" / "train_and_judge.md").read_text("utf-8")
COMMANDS = [
    shlex.split(line.replace("\\\n", " "))[1:]
    for line in re.findall(r"^    (understand (?:[^\\\n]|\\\n)*)", PAGE, re.MULTILINE)
]
PEOPLE = ("doctor", "nurse", "friend", "mother", "teacher", "child", "sister", "neighbour")
THINGS = ("water", "tea", "soup", "milk", "bread", "fruit", "juice", "rice", "fish", "salt")
TERMS = ("neuropathy", "sclerosis", "arrhythmia", "carcinoma", "stenosis", "thrombosis")
WORDS = ("easy", "medium", "hard")


def text_of(level: int, seed: int) -> str:
    """Two paragraphs with quotes and commas, harder with the level."""
    rng = np.random.default_rng(seed)
    plain = [
        f'The {rng.choice(PEOPLE)} said: "Have some {rng.choice(THINGS)}, and then rest."'
        for _ in range(6 - 2 * level)
    ]
    hard = [
        f"Concomitant {rng.choice(TERMS)}, notwithstanding antecedent {rng.choice(TERMS)}, may "
        f"exacerbate {rng.choice(TERMS)} in {rng.choice(PEOPLE)} populations."
        for _ in range(2 * level)
    ]
    return " ".join(plain) + "\n\n" + " ".join(hard) + f"\nThis is number {seed}."


def write(path: Path, first: int, count: int) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "text", "rating", "site"])
        for seed in range(first, first + count):
            level = seed % 3
            label = ("NaN", "")[seed % 2] if seed % 10 == 0 else WORDS[level]
            rows.writerow([f"d{seed}", text_of(level, seed), label, f"site{seed // 4}"])


@pytest.mark.slow
@pytest.mark.usefixtures("few_resamples", "one_core")
def test_every_command_of_the_page_runs(understand: Run, tmp_path: Path) -> None:
    write(tmp_path / "labels.csv", 0, 120)
    write(tmp_path / "others.csv", 200, 45)
    (tmp_path / "pages").mkdir()
    for level, word in enumerate(WORDS):
        (tmp_path / "pages" / f"{word}.txt").write_text(text_of(level, 300 + level), "utf-8")
    ids = [f"{word}.txt" for word in WORDS]
    (tmp_path / "qrels.txt").write_text("".join(f"q 0 {docno} 1\n" for docno in ids))
    for name, order in (("a", ids), ("b", ids[::-1])):
        lines = (f"q Q0 {docno} {rank} {9 - rank} {name}\n" for rank, docno in enumerate(order, 1))
        (tmp_path / f"{name}.run").write_text("".join(lines))
    assert len(COMMANDS) == 4
    train, *others = (understand(*command, cwd=tmp_path, status=0) for command in COMMANDS)
    assert "mine, out of fold" in train.stdout
    assert "TF-IDF ridge, out of fold" in train.stdout
    assert "no label (12)" in train.stdout or "no label: 12" in train.stdout
    assert "P(U|d) is the probability of a label easier than hard" in train.stderr
    assert load_bundle(tmp_path / "mine").reader is not None
    assert "open, level" in others[0].stdout
    scores = pq.read_table(tmp_path / "scores.parquet").to_pydict()
    chances = dict(zip(scores["docno"], scores["p_understandable"], strict=True))
    assert chances["easy.txt"] > 0.9 > 0.5 > chances["hard.txt"]
    table = (tmp_path / "table.tex").read_text("utf-8")
    # The run that has the easy page first is better by uRBP, and as good by RBP.
    assert "uRBP" in table
    assert "\\toprule" in table
