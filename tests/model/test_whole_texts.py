"""P(U|d) of whole texts: explained terms raise it, an easy list behind a hard text does not."""

import numpy as np
import pytest
from scripts.evaluate.whole_texts import appended_lists, diluted, explained, held, rises
from tests.conftest import PANEL

import understandability as ud
from understandability.feature.batch import Batch
from understandability.model.passages import passages, passages_without_lists
from understandability.text.analysis import document_of_text

HARD = (
    "Entitlement to the supplement is conditional on the claimant's continuing habitual residence, "
    "and lapses upon the cessation of the qualifying award unless the decision is revised. Any sum "
    "paid in respect of a period after such lapse is recoverable by deduction from later awards, "
    "notwithstanding that the claimant disclosed the material change of circumstances, save where "
    "recovery would be inequitable having regard to the conduct of the authority. "
)


def test_terms_that_a_text_explains_count_less() -> None:
    """Of 40 passages, P rises with the explanation in 34."""
    pairs = explained()
    assert len(pairs) == 40
    assert rises(pairs) >= 34


def test_easy_lists_do_not_dilute_hard_texts() -> None:
    """Of 40 texts, P moves by .05 at most in 36."""
    pairs = diluted()
    assert len(pairs) == 40
    assert held(pairs) >= 36


@pytest.mark.parametrize("items", appended_lists())
def test_no_list_lifts_a_decision(items: str) -> None:
    text = HARD + HARD.replace("supplement", "allowance").replace("claimant", "applicant")
    before, after = (ud.score_text(each) for each in (text, f"{text}\n\n{items}"))
    assert after["p_understandable"] == pytest.approx(before["p_understandable"], abs=0.05)


def test_a_list_alone_is_read_as_it_is() -> None:
    """And so is a text with hardly any list."""
    documents = [document_of_text(appended_lists()[0]), document_of_text(f"Notes\n\n{HARD}")]
    assert passages_without_lists(Batch(documents)).totals.tolist() == [0, 0]


def test_the_hardest_passages_count_by_their_words_whatever_else_is_in_the_batch() -> None:
    longest = sorted(PANEL.glob("*.txt"), key=lambda path: path.stat().st_size)[-3:]
    documents = [document_of_text(path.read_text("utf-8")) for path in longest]
    alone = passages(Batch(documents[1:2]))
    together = passages(Batch(documents))
    values = np.arange(len(together.words), dtype=np.float64)
    start, end = together.starts[1:3]
    hardest = together.hardest(values, 2 / 3)[1]
    assert hardest == alone.hardest(values[start:end], 2 / 3)[0]
    assert hardest > together.means(values[:, None])[1, 0]
