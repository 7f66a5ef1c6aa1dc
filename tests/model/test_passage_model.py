"""Estimates of pages: their order, their spread, and changes that must not affect them."""

import csv
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr
from scripts.shared import TOLERANCE
from scripts.train.page_texts import Table, Text
from tests.conftest import PANEL, SAMPLES

from understandability.errors import InputError
from understandability.feature.batch import Batch
from understandability.model.bundle import Estimate, load_bundle
from understandability.model.passage_model import (
    CUT,
    FEW_SENTENCES,
    NO_ORDER,
    REPEATED,
    TWO_LANGUAGES,
    ErrorModel,
    Hardening,
    PassageModel,
)
from understandability.model.passages import passage_columns, passages
from understandability.model.predictors import Kernel, Network, Prepared
from understandability.model.readers import READERS, AssessorScale, Reader
from understandability.model.word_columns import known_of, runs_of_letters, word_difficulty
from understandability.resources import resource_arrays
from understandability.text.analysis import document_of_page, document_of_text
from understandability.text.page import Page

BUNDLE = load_bundle("open")
HARDEST = (PANEL / "organoid_grant_summary.txt").read_text("utf-8")
LEAFLET = """Flu is an illness that you catch from other people. It can make you feel very tired.
Most people get better at home within two weeks. You should rest and drink plenty of water.

Ask a pharmacist about medicine for a high temperature. Call your doctor if you cannot breathe well.
"""


def estimates_of(*texts: str) -> tuple[Estimate, ...]:
    return BUNDLE.estimate(Batch([document_of_text(text) for text in texts]))


def panel() -> list[dict[str, str]]:
    with (PANEL / "panel.tsv").open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.fixture(scope="module")
def judged() -> list[tuple[dict[str, str], Estimate]]:
    """The rows of the panel with their estimates."""
    rows = panel()
    texts = [(PANEL / row["file"]).read_text("utf-8") for row in rows]
    return list(zip(rows, estimates_of(*texts), strict=True))


def test_the_panel_comes_out_in_the_order_of_its_judges(
    judged: list[tuple[dict[str, str], Estimate]],
) -> None:
    """The floor is slightly below the measured .92; the best of eight formulas has .89."""
    ranks = [float(row["rank"]) for row, _ in judged]
    order = spearmanr(ranks, [estimate.difficulty for _, estimate in judged]).statistic
    assert order >= 0.9


def test_the_error_of_the_level_is_by_how_unlike_its_own_texts_a_text_is() -> None:
    """The error of the difficulty has other typical distances, which must not be used here."""
    result = passages(Batch([document_of_text(HARDEST)]))
    wider = replace(BUNDLE.model.level_error, usual=1e-3, usual_per_word=0.0)
    [error] = BUNDLE.model.read_passages(result).level_error
    [larger] = replace(BUNDLE.model, level_error=wider).read_passages(result).level_error
    assert larger > 2 * error


def test_the_panel_uses_the_whole_of_the_scale(
    judged: list[tuple[dict[str, str], Estimate]],
) -> None:
    """Stories and leaflets are understood, abstracts are not, and nothing is certain."""
    chances = {row["kind"]: estimate.p_understandable for row, estimate in judged}
    assert min(chances.values()) < 0.2
    assert max(chances.values()) > 0.8
    assert all(0.02 < chance < 0.98 for chance in chances.values())
    easy = ("first-reader text", "recipe", "patient leaflet", "children's story (ages 8 to 10)")
    assert min(chances[kind] for kind in easy) > 0.6
    hard = [kind for kind in chances if kind.startswith("abstract")]
    hard += ["research consent form (conventional)", "statute (tenancy)", "insurance terms"]
    assert max(chances[kind] for kind in hard) < 0.56


@pytest.mark.parametrize("times", [2, 100])
def test_a_text_that_is_repeated_stays_what_it_is(times: int) -> None:
    """To the last digit: a sentence counts once."""
    once, repeated = estimates_of(LEAFLET, LEAFLET * times)
    assert repeated.difficulty == once.difficulty


@pytest.mark.parametrize(
    "added",
    [
        "About flu\n\n",
        "Pathophysiology and epidemiology of influenza\n\n",
        "Fever | yes | 38.5\n\n",
    ],
)
def test_a_heading_or_a_row_of_a_table_moves_an_estimate_by_its_words_alone(added: str) -> None:
    before, after = estimates_of(LEAFLET, added + LEAFLET)
    assert abs(after.difficulty - before.difficulty) < 8


def model_of(outputs: Sequence[float], least: float = 0.0) -> PassageModel:
    """Its output is constant: difficulty 50, message 60, level 4, and the outputs of the kernel."""
    columns = len(passage_columns())
    zeros, ones = np.zeros(columns), np.ones(columns)
    network, level = (
        Network((np.zeros((columns, 1)), np.zeros((1, len(says)))), (np.zeros(1), says), link)
        for says, link in ((np.log([1.0, 1.5]), "percent"), (np.array([4.0]), "identity"))
    )
    kernel = Kernel(np.zeros((1, columns)), np.zeros((1, len(outputs))), np.array(outputs), 1.0)
    error = ErrorModel(0.1, 1.0, 1.0, 1.0, 3.0)
    prepared = (Prepared(zeros, zeros, ones, each) for each in (network, kernel))
    harder = Hardening(50.0, 0.3)
    return PassageModel(*prepared, level, error, error, least, 0.01, 0.8, (harder, harder))


@pytest.mark.parametrize(("least", "level"), [(0.0, 4.2), (0.25, 4.2), (0.4, 4.1), (0.5, 4.0)])
def test_the_function_of_a_kind_counts_as_far_as_a_passage_is_of_it(
    least: float, level: float
) -> None:
    """With probabilities 1/2 and 1/4: 4 + 0.6 / 2 - 0.4 / 4 = 4.2; a difficulty of 50 adds half.

    With `least` 1/4: 4 + 0.6 / 3; with 0.4: 4 + 0.6 / 6; with 1/2 nothing is added.
    """
    model = model_of([0.6, -0.4, np.log(2.0), 0.0], least)
    again = PassageModel.from_parts(*model.to_parts())
    rows = np.zeros((2, len(passage_columns())))
    for each in (model, again):
        assert each.predict(rows) == pytest.approx([50.0, 50.0])
        assert each.levels(rows, each.predict(rows))[:, 0] == pytest.approx([level + 0.5] * 2)


def test_a_text_of_fewer_than_eight_words_has_a_lower_level() -> None:
    """For six words (a shortness of .9) a quarter of .8 is subtracted; from eight words on, 0."""
    model, rows = model_of([0.0, 0.0]), np.zeros((3, len(passage_columns())))
    rows[:, passage_columns().index("shortness")] = 0.9, 1 - 8 / 60, 0.0
    assert model.levels(rows, np.zeros(3))[:, 0] == pytest.approx([3.8, 4.0, 4.0])


def test_the_public_gets_the_message_and_a_threshold_is_one_of_difficulty() -> None:
    """At a message of 60 the curve gives half; at difficulty 50 a threshold of 60 gives more."""
    bundle = replace(BUNDLE, model=model_of([0.6, 0.0]))
    batch = Batch([document_of_text(LEAFLET)])
    (public,) = bundle.estimate(batch)
    assert public.difficulty == pytest.approx(50.0)
    usual = READERS["public"].understands(60.0, public.spread)
    assert public.p_understandable == pytest.approx(float(usual))
    own = Reader("own", "me", 60.0, "a test", scale=bundle.scale)
    (mine,) = bundle.estimate(batch, own)
    assert mine.p_understandable == pytest.approx(float(own.understands(50.0, mine.spread)))


def test_weights_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="do not fit"):
        model_of([0.6])
    with pytest.raises(InputError, match="least share"):
        model_of([0.6, 0.0], 1.0)
    model, files = model_of([0.6, 0.0]).to_parts()
    with pytest.raises(InputError, match="not the weights of a model of passages"):
        PassageModel.from_parts({**model, "least": None}, files)
    for numbers in (None, [], [{"start": 50.0, "by": "far"}] * 2):
        with pytest.raises(InputError, match="hardenings are missing"):
            PassageModel.from_parts({**model, "hardenings": numbers}, files)


def test_the_whole_lies_among_its_passages() -> None:
    """The difficulty of a page is the mean of its passages', and of a hard one a little more.

    They are weighted by their words; two of the same length count as two.
    """
    assert isinstance(BUNDLE.model, PassageModel)
    harder, _ = BUNDLE.model.hardenings
    texts = [(PANEL / row["file"]).read_text("utf-8") for row in panel() if int(row["words"]) > 400]
    batch = Batch([document_of_text(text) for text in texts])
    whole, cut = BUNDLE.model.read(batch).raw, passages(batch)
    each = BUNDLE.model.network(cut.columns)[:, 0]
    for number in range(len(batch)):
        own = slice(cut.starts[number], cut.starts[number + 1])
        words = cut.words[own]
        mean, parts = np.average(each[own], weights=words), words.sum() ** 2 / (words**2).sum()
        assert each[own].min() <= mean <= each[own].max()
        assert cut.equal_parts[number] == pytest.approx(parts)
        assert whole[number] == pytest.approx(harder.of(mean, parts))


def test_hard_pages_are_harder_than_their_passages() -> None:
    """Computed by hand: the odds of 80 % are 4; with three passages they are doubled, to 8.

    With four passages they are 16.
    """
    harder = Hardening(50.0, 1.0)
    means = np.array([80.0, 80.0, 50.0, 20.0, 80.0, 103.0])
    result = harder.of(means, np.array([3.0, 9.0, 3.0, 3.0, 2.0, 1.0]))
    assert result == pytest.approx([100 * 8 / 9, 100 * 16 / 17, 50.0, 20.0, 80.0, 103.0])
    with pytest.raises(InputError, match="hardening must be"):
        Hardening(100.0, 0.3)


def test_texts_of_any_length_are_harder_above_the_middle_if_the_model_says_so() -> None:
    """By hand: odds of 80 in 100 are 4, those of 45 are 9 / 11; 4 * 4 * 11 / 9 of one more."""
    harder = Hardening(50.0, 0.0, of_passages=1.0)
    found = harder.of(np.array([80.0, 80.0, 45.0, 20.0]), np.array([1.0, 9.0, 1.0, 1.0]))
    odds = 4 * 4 * 11 / 9
    assert found == pytest.approx([100 * odds / (1 + odds)] * 2 + [45.0, 20.0])


def test_passages_are_equal_parts_of_about_a_hundred_words() -> None:
    """Whole sentences, so that they differ a little."""
    text = "The doctor gives you a letter with your name on it today. " * 1
    sentences = " ".join(text.replace("letter", f"letter {n}") for n in range(60))
    result = passages(Batch([document_of_text(sentences)]))
    assert result.totals.tolist() == [60 * 13]
    assert len(result.words) == 8
    assert all(80 <= words <= 120 for words in result.words)


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        ("Home\n\nAbout\n\nContact\n\nSitemap", FEW_SENTENCES),
        ("Smith | 3 | 4\n\nJones | 5 | 6\n\nMiller | 7 | 8", FEW_SENTENCES),
        ("", "no_words"),
        ("?!", "no_words"),
    ],
)
def test_what_is_no_text_is_flagged(text: str, flag: str) -> None:
    """It also has a wider spread, or no estimate."""
    (result,) = estimates_of(text)
    assert flag in result.flags
    usual = estimates_of(LEAFLET)[0].spread
    assert np.isnan(result.spread) or result.spread > usual


HARD = """I understand that the investigational agent is given to determine whether progression
is delayed in patients whose disease has become refractory to platinum therapy. Neither I nor my
physician can choose the allocation, and I may be withdrawn if the sponsor terminates the protocol.
"""


def test_what_fools_a_formula_is_flagged() -> None:
    """Cuts without a verb, words without order, repeated sentences, two languages on one page.

    Cuts (every fourth word) and words without order make a text harder, too.
    """
    words = HARD.replace(".", "").split()
    cut = " ".join(f"{word}." if not n % 4 else word for n, word in enumerate(words, 1))
    without_order = " ".join(sorted(words)) + "."
    spanish = "Los análisis de sangre se hacen por la mañana, entre las siete y las nueve. "
    result = estimates_of(HARD, cut, without_order, HARD * 3, LEAFLET + spanish * 2)
    assert not result[0].flags
    for each, flag in zip(result[1:], (CUT, NO_ORDER, REPEATED, TWO_LANGUAGES), strict=True):
        assert flag in each.flags
    assert result[0].difficulty < result[1].difficulty < result[2].difficulty


def test_side_effects_in_a_list_are_read() -> None:
    """Items have no sentences, but their words count."""
    listed = "\n".join(
        f"- {name}"
        for name in ("rhabdomyolysis", "thrombocytopenia", "angioedema", "torsade de pointes")
    )
    plain, with_list = estimates_of(LEAFLET, f"{LEAFLET}\n{listed}\n")
    assert with_list.difficulty > plain.difficulty + 3


def test_the_assessors_of_2016_have_their_own_scale() -> None:
    """It is selected by the name of its reader; the default reader is an adult of the public."""
    batch = Batch([document_of_text(LEAFLET), document_of_text(HARDEST)])
    for easy, hard in (BUNDLE.estimate(batch), BUNDLE.estimate(batch, READERS["assessor-2016"])):
        assert easy.p_understandable > hard.p_understandable
    assert BUNDLE.estimate(batch)[0] != BUNDLE.estimate(batch, READERS["assessor-2016"])[0]


def test_a_short_text_has_a_wider_spread() -> None:
    """One sentence says less than a page."""
    short, long = estimates_of("Rest and drink water when you have flu.", LEAFLET * 1)
    assert short.spread > long.spread


def test_capitals_are_judged_by_their_words() -> None:
    """An abstract set in capitals is no easier for it."""
    text = (PANEL / "ampk_signalling_abstract.txt").read_text("utf-8")
    usual, shouted = estimates_of(text, text.upper())
    assert shouted.difficulty > usual.difficulty - 5


def test_difficulty_is_what_assessors_are_expected_to_say() -> None:
    """Worked by hand: one deviation harder than their pages, correlation .5, deviation 20."""
    scale = AssessorScale(40.0, 20.0, 0.5, level=4.0, level_deviation=0.5, reach=3.0)
    difficulty, spread = scale.of(np.array([4.0, 4.5]), np.zeros(2))
    assert difficulty[0] == 40.0
    assert difficulty[1] == pytest.approx(40 + 0.5 * 20 * 3 * np.tanh(1 / 3))
    assert spread.tolist() == pytest.approx([20 * 0.75**0.5] * 2)


def test_the_default_is_open() -> None:
    """`default` is another name of it, and rows name the real one."""
    assert load_bundle("default").name == "open"
    assert BUNDLE.scale == "readings.v1"


def test_the_same_bundle_gives_the_same_digits() -> None:
    """Six of them, as they were when this bundle `open` was made; P(U|d), difficulty, level.

    Scores are kept in indexes for years: another bundle has another name or checksum.
    """
    folder = SAMPLES
    expected = {
        "easy": (0.972671, 7.7683, 2.18486),
        "medium": (0.823848, 33.4864, 3.50073),
        "hard": (0.041374, 99.014, 5.93695),
    }
    pages = [Page(name, "", (folder / f"{name}.html").read_bytes()) for name in expected]
    found = BUNDLE.estimate(Batch([document_of_page(page) for page in pages]))
    assert BUNDLE.checksum.startswith("8fbd5494f2d53b4d")
    for each, digits in zip(found, expected.values(), strict=True):
        numbers = (each.p_understandable, each.difficulty, each.level)
        assert numbers == pytest.approx(digits, rel=TOLERANCE)


def test_a_level_stays_on_its_scale() -> None:
    """Levels are clipped to A1 to C2, although the model's output may lie beyond."""
    for each in estimates_of("The cat sat. It was fat.", HARDEST):
        assert 1 <= each.level <= 6


@pytest.mark.parametrize(
    ("text", "is_prose"),
    [
        ("Eat more fruit. Do not smoke. You have flu.", True),
        ("Take one pill. Drink water. Call us.", True),
        ("Home\nAbout us\nContact\nLog in", False),
        ("Fruit. Milk. Bread.", False),
    ],
)
def test_short_sentences_are_sentences(text: str, is_prose: bool) -> None:
    """Plain writing is no list: it gets no flag, and no wider spread."""
    [estimate] = load_bundle("open").estimate(Batch([document_of_text(text)]))
    assert (FEW_SENTENCES not in estimate.flags) is is_prose


@pytest.mark.parametrize(("sentences", "shortness"), [(1, 0.75), (2, 0.5), (4, 0.0), (6, 0.0)])
def test_a_text_is_short_up_to_sixty_words(sentences: int, shortness: float) -> None:
    """Computed by hand for sentences of fifteen words: 1 - 15 / 60 and so on."""
    texts = [
        f"The {name} ran to the green hill and then it sat down for a rest."
        for name in ("dog", "cat", "fox", "hen", "boy", "girl")[:sentences]
    ]
    (read,) = passages(Batch([document_of_text(" ".join(texts))])).columns
    assert read[passage_columns().index("shortness")] == pytest.approx(shortness)


def test_no_word_makes_a_text_much_easier() -> None:
    """A few easy words after a hard text must not hide it; hard words have no such bound."""
    known = word_difficulty()
    assert min(known.words.min(), known.letters.min()) == -60
    assert known.words.max() > 100


def test_the_difficulty_by_words_is_the_mean_of_the_different_words() -> None:
    """The core and training agree: repetitions of "rest" count once."""
    text = "Rest and rest and rest.\n\nTake 2 callbacks, and rest."
    words = ["Rest", "and", "rest", "Take", "callbacks"]
    own = word_difficulty().of(known_of(words).ranks, runs_of_letters(words))
    (read,) = passages(Batch([document_of_text(text)])).columns
    assert read[passage_columns().index("difficulty_by_words")] == pytest.approx(own.mean())
    assert own[-1] == own.max()
    table = Table.of([Text("set", "id", text)])
    arrays = resource_arrays("word_difficulty.npz")
    slopes = np.append(arrays["words"], arrays["letters"]).astype(float)
    assert table.word_features @ slopes + arrays["start"] == pytest.approx([own.mean()])
