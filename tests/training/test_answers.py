"""A reader from answers: known thresholds come out again, and say how sure they are."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.conftest import Run

import understandability as ud
from understandability.errors import InputError, OptionError
from understandability.inputs.tables import write_table
from understandability.model.readers import probability, reader_of
from understandability.training.calibrate import fit_reader, read_answers

pytestmark = pytest.mark.slow


def answers(count: int, seed: int, threshold: float = 42.0, noise: float = 12.0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    difficulties = rng.uniform(0, 100, count)
    return difficulties, difficulties + rng.normal(0, noise, count) < threshold


def test_many_answers_give_threshold_and_noise_again() -> None:
    fitted = fit_reader(*answers(20_000, 1))
    assert fitted.reader.threshold == pytest.approx(42, abs=1)
    assert fitted.reader.noise_scale == pytest.approx(12, rel=0.1)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """95 % of 40 readers are 38; by chance, 34 or fewer happen in 1 of 100 cases."""
    held = [fit_reader(*answers(50, seed)).threshold_interval for seed in range(40)]
    assert sum(low <= 42 <= high for low, high in held) >= 34
    assert 5 < np.mean([high - low for low, high in held]) < 25


def test_the_fit_is_the_likeliest_by_scipy() -> None:
    """An independent maximum of the same likelihood, by scipy's optimiser."""
    from scipy.optimize import minimize
    from scipy.stats import norm

    difficulties, understood = answers(60, 7)

    def unlikelihood(parameters: Any) -> float:
        chance = norm.cdf((parameters[0] - difficulties) / math.exp(parameters[1]))
        return -float(np.log(np.where(understood, chance, 1 - chance).clip(1e-9)).sum())

    best = minimize(unlikelihood, [50, 2.5], method="Nelder-Mead").x
    fitted = fit_reader(difficulties, understood).reader
    assert fitted.threshold == pytest.approx(best[0], abs=0.5)
    assert fitted.noise_scale == pytest.approx(math.exp(best[1]), rel=0.07)


@pytest.mark.parametrize(
    ("difficulties", "understood", "message"),
    [
        (range(5), [True] * 5, "5 answers on documents with a difficulty; at least 20"),
        (range(30), [True] * 30, "all 30 answers are yes.*ask about harder documents"),
        (range(30), [d > 15 for d in range(30)], "check the answers, or whether yes and no"),
    ],
)
def test_answers_that_tell_nothing_are_one_sentence(
    difficulties: Any, understood: list[bool], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        fit_reader(np.array(difficulties, float), understood)


def test_answers_that_are_parted_sharply_have_the_least_noise() -> None:
    fitted = fit_reader(np.arange(60.0), [d < 30 for d in range(60)])
    assert fitted.reader.noise_scale == 1.0
    assert "as small as it can be" in fitted.remarks[0]


def test_a_record_that_is_no_answer_is_named() -> None:
    records = [{"id": "a", "understood": "Yes"}, {"id": "b", "understood": "perhaps"}]
    with pytest.raises(InputError, match="record 2: 'understood' is 'perhaps', not yes or no"):
        read_answers(records, "x.csv", {"a": 3.0})
    with pytest.raises(InputError, match=r"no column 'difficulty'.*name a table of scores"):
        read_answers(records, "x.csv")


def test_from_scores_and_answers_to_a_reader_that_scores(understand: Run, tmp_path: Path) -> None:
    """The settings of the scores contain the reader's threshold and noise."""
    # A sentence counts once on a page, so each is another.
    places = ("door", "bed", "chair", "tree", "wall", "road", "house")
    easy = [f"The cat sat on a mat by the {place}." for place in places]
    tissues = ("hepatic", "renal", "cardiac", "neural", "gastric", "dermal", "vascular")
    hard = [
        f"Pharmacokinetic heterogeneity of {tissue} clearance complicates extrapolation."
        for tissue in tissues
    ]
    texts = {f"d{n}": " ".join(hard[: n % 7] + easy[n % 7 :]) for n in range(42)}
    scores = ud.score(texts)
    table = tmp_path / "scores.parquet"
    write_table(scores.to_arrow(), str(table))
    (tmp_path / "answers.csv").write_text(
        "docno,understood\n" + "".join(f"d{n},{'no' if n % 7 > 3 else 'yes'}\n" for n in range(42))
    )
    done = understand(
        "calibrate", tmp_path / "answers.csv", "--scores", table, "-o", tmp_path / "me.json",
        status=0,
    )  # fmt: skip
    assert "threshold" in done.stdout
    assert "from 42 answers" in done.stdout
    assert done.stderr.endswith(f"Next: understand score PAGES --reader {tmp_path / 'me.json'}\n")
    assert json.loads((tmp_path / "me.json").read_text())["bundle"] == "open"
    reader = reader_of(str(tmp_path / "me.json"))
    rows = ud.score(texts, reader=str(tmp_path / "me.json"))
    row = rows["d0"]
    expected = probability(
        row["difficulty"], reader.threshold, "calibrated", noise_scale=reader.noise_scale
    )
    assert row["p_understandable"] == pytest.approx(float(expected))
    assert reader.scale == json.loads(rows.table.schema.metadata[b"understandability"])["scale"]
    with pytest.raises(
        OptionError, match=r"name its own bundle \(--bundle FOLDER\), or calibrate it"
    ):
        ud.score(texts, reader=str(tmp_path / "me.json"), bundle="llr")
    # What is said next has the bundle whose scores these are.
    for name, said in (
        ("llr", "--bundle llr"),
        ("mine", "--bundle FOLDER (FOLDER is the folder of mine)"),
    ):
        scores_path = table.with_name(f"{name}.csv")
        write_table(scores.to_arrow(), str(scores_path), settings={"scale": name, "bundle": name})
        done = understand(
            "calibrate",
            tmp_path / "answers.csv",
            "--scores",
            scores_path,
            "-o",
            tmp_path / "a.json",
        )
        assert done.stderr.endswith(f"--reader {tmp_path / 'a.json'} {said}\n")


def test_scores_that_do_not_say_their_scale_get_a_remark(tmp_path: Path) -> None:
    """The reader would be taken for every bundle, in silence."""
    path = tmp_path / "sc.csv"
    path.write_text("docno,difficulty\n" + "".join(f"d{n},{n}\n" for n in range(50)))
    answers = {
        "docno": [f"d{n}" for n in range(50)],
        "understood": [n + n % 7 < 30 for n in range(50)],
    }
    [remark] = ud.calibrate(answers, path).remarks
    assert "the scale of these difficulties is not stated" in remark
    Path(f"{path}.settings.json").write_text('{"scale": "mine"}')
    calibrated = ud.calibrate(answers, path)
    assert (calibrated.reader.scale, calibrated.remarks) == ("mine", ())


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"kind": "reader", "threshold": "x"}'])
def test_a_file_without_a_reader_is_one_sentence(tmp_path: Path, content: str) -> None:
    path = tmp_path / "me.json"
    path.write_text(content)
    with pytest.raises(InputError, match="holds no reader, or is damaged"):
        reader_of(str(path))
