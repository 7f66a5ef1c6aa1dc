"""What a prompt shows of a result: a line or a table, no arrays."""

from __future__ import annotations

import pytest

import understandability as ud

TEXTS = [f"You have flu. Rest{', and drink water' * (n % 5)}. It is day {n}." for n in range(40)]
LABELS = {"text": TEXTS, "label": [n % 5 for n in range(40)]}


@pytest.mark.usefixtures("few_resamples")
def test_a_result_is_a_line_that_says_what_to_call_next() -> None:
    runs = {"mine": {"q": {"d": 2.0}}, "other": {"q": {"e": 1.0}}}
    trained = ud.train(
        LABELS, direction="harder", estimator="linear-regressor", features=["components"], folds=2
    )
    for shown, begins, calls in (
        (ud.score({"a": TEXTS[0]}), "<Scores, documents: 1, failures: 0;", ".to_pandas()"),
        (ud.features(TEXTS, ["words"]), "<Rows, documents: 40,", ".to_arrow()"),
        (ud.explain(TEXTS[0]), "<Explanation of text, 8 words,", ".to_html(path)"),
        (ud.load_bundle("open"), "<Bundle open@", ".save(folder)"),
        (
            ud.evaluate(runs, {"q": {"d": 1}}),
            "<Evaluation, runs: 2, queries: 1, measures: 1",
            ".to_markdown()",
        ),
        (trained, "<Trained, bundle: judged, texts: 40,", ".figures"),
    ):
        text = repr(shown)
        assert text.startswith(begins)
        assert calls in text
        assert len(text) < 250
        assert "\n" not in text
    assert repr(trained.figures) == trained.figures.to_markdown()
