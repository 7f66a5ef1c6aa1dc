"""Whole pages: their order, P(U|d), and a panel of texts. Fills in ``results/pages.md``.

    python -m scripts.evaluate.pages [--cache FOLDER]

The bundle `open` is judged as it stands in ``resources/bundles``; some minutes with one thread.
"""

from collections.abc import Iterator

import numpy as np
from scripts.evaluate.intervals import auc, harder, measured, short
from scripts.shared import ROOT, fill, markdown, parser_of, stamp
from scripts.train.page_texts import Table, cached, pages

from understandability.arrays import Floats
from understandability.evaluation.correlation import spearman
from understandability.feature.batch import Batch
from understandability.model.bundle import Bundle, load_bundle
from understandability.model.passage_model import PassageModel
from understandability.model.readers import READERS
from understandability.text.analysis import document_of_text
from understandability.training.validation import BASELINES

PANEL = ROOT / "tests" / "panel"

# Harder kind, easier kind, the least ROC AUC where the order is beyond doubt.
ORDERS: tuple[tuple[str, str, float | None], ...] = (
    ("cdc", "medlineplus", 0.98),
    ("cdc", "forum", 0.97),
    ("cdc", "sondhi", 0.92),
    ("pmc_fulltext", "medlineplus", 0.99),
    ("pmc_fulltext", "forum", 0.99),
    ("wikipedia", "medlineplus", 0.98),
    ("ghr", "medlineplus", 0.98),
    ("cdc", "wikipedia", None),
    ("pmc_abstract", "wikipedia", None),
)


def orders(kinds: Floats, scores: dict[str, Floats]) -> str:
    """How often a page of the harder kind has the higher value."""
    rows = []
    for high, low, least in ORDERS:
        row = [f"{high} over {low}", short(least, 2) if least else "in doubt"]
        for name, values in scores.items():
            pair = [values[(kinds == kind) & np.isfinite(values)] for kind in (high, low)]
            labels = np.repeat([1.0, 0.0], [len(each) for each in pair])
            found = measured(auc, np.concatenate(pair), labels, np.arange(len(labels)))
            row.append(str(found) if name in ("difficulty", "level") else short(found.value))
        rows.append(row)
    return markdown(["pages", "at least", *scores], rows)


def chances(kinds: Floats, read: dict[str, Floats]) -> str:
    """Medians of each kind, and the 10th and 90th percentile of P(U|d)."""
    rows = []
    for kind in dict.fromkeys(kinds.tolist()):
        of = {name: values[kinds == kind] for name, values in read.items()}
        low, middle, high = np.nanquantile(of["chance"], [0.1, 0.5, 0.9])
        rows.append(
            [
                f"{kind} ({len(of['chance'])})",
                f"{np.nanmedian(of['level']):.2f}",
                f"{np.nanmedian(of['difficulty']):.0f}",
                f"{np.nanmedian(of['spread']):.0f}",
                f"{short(middle, 2)} [{short(low, 2)}, {short(high, 2)}]",
                f"{of['unlike'].mean():.0%}",
            ]
        )
    head = ["pages", "level", "difficulty", "spread", "P(U\\|d)", "unlike"]
    return markdown(head, rows)


def panel(bundle: Bundle) -> Iterator[tuple[str, str]]:
    """How far the order of the panel is kept, and all its texts."""
    lines = (PANEL / "panel.tsv").read_text("utf-8").splitlines()
    head, *cells = [line.split("\t") for line in lines]
    found = [dict(zip(head, line, strict=True)) for line in cells]
    found.sort(key=lambda row: float(row["rank"]))
    texts = [(PANEL / row["file"]).read_text("utf-8") for row in found]
    batch = Batch([document_of_text(text) for text in texts])
    estimates = bundle.estimate(batch)
    ranks = np.array([float(row["rank"]) for row in found])
    agreement = {
        "difficulty": spearman(np.array([each.difficulty for each in estimates]), ranks),
        "level": spearman(np.array([each.level for each in estimates]), ranks),
    }
    yield (
        "panel-figures",
        markdown(
            ["", f"Spearman, {len(found)} texts"],
            [[name, short(value)] for name, value in agreement.items()],
        ),
    )
    rows = [
        [
            row["rank"],
            row["file"].removesuffix(".txt").replace("_", " "),
            row["kind"],
            f"{each.level:.2f}",
            f"{each.difficulty:.0f}",
            short(each.p_understandable, 2),
            " ".join(each.flags),
        ]
        for row, each in zip(found, estimates, strict=True)
    ]
    yield "panel", markdown(["rank", "text", "kind", "level", "difficulty", "P(U\\|d)", ""], rows)


def main() -> None:
    arguments = parser_of(__doc__, cache=True, output="results/pages.md").parse_args()
    bundle = load_bundle(ROOT / "resources" / "bundles" / "open")
    assert isinstance(bundle.model, PassageModel)
    table = cached(arguments.cache, "pages", lambda: Table.of(pages(arguments.data)))
    reading = bundle.model.read_passages(table.passages)
    difficulty, spread = bundle.calibration.apply(reading)
    read = {
        "level": np.clip(reading.level, 1, 6),
        "difficulty": difficulty,
        "spread": spread,
        "chance": READERS["public"].understands(reading.message, spread),
        "unlike": np.array(["unlike_judged" in flags for flags in reading.flags]),
    }
    scores = {"difficulty": reading.raw, "level": reading.level}
    scores |= dict(zip(BASELINES, harder(table.formulas).T, strict=True))
    parts = {
        "bundles": stamp(bundle.checksum),
        "orders": orders(table.sets, scores),
        "chances": chances(table.sets, read),
        **dict(panel(bundle)),
    }
    fill(arguments.output, parts)


if __name__ == "__main__":
    main()
