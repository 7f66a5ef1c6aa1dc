"""Evaluate `open` on whole pages and on a panel of texts. Fills in ``results/pages.md``.

    python -m scripts.evaluate.pages [--cache FOLDER]

The evaluated bundle is the one in ``resources/bundles``. This takes some minutes with one thread.
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

# Harder kind, easier kind, and the target ROC AUC; None if it is unclear which kind is harder.
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


def orders(categories: Floats, scores: dict[str, Floats]) -> str:
    """Return the table of ROC AUCs: how often a page of the harder kind has the higher score."""
    rows = []
    for high, low, least in ORDERS:
        row = [f"{high} over {low}", short(least, 2) if least else "in doubt"]
        for name, values in scores.items():
            pair = [
                values[(categories == category) & np.isfinite(values)] for category in (high, low)
            ]
            labels = np.repeat([1.0, 0.0], [len(of_kind) for of_kind in pair])
            result = measured(auc, np.concatenate(pair), labels, np.arange(len(labels)))
            row.append(str(result) if name in ("difficulty", "level") else short(result.value))
        rows.append(row)
    return markdown(["pages", "at least", *scores], rows)


def chances(categories: Floats, estimates: dict[str, Floats]) -> str:
    """Return the table of medians per kind, with the 10th and 90th percentile of P(U|d)."""
    rows = []
    for category in dict.fromkeys(categories.tolist()):
        own = {name: values[categories == category] for name, values in estimates.items()}
        low, middle, high = np.nanquantile(own["chance"], [0.1, 0.5, 0.9])
        rows.append(
            [
                f"{category} ({len(own['chance'])})",
                f"{np.nanmedian(own['level']):.2f}",
                f"{np.nanmedian(own['difficulty']):.0f}",
                f"{np.nanmedian(own['spread']):.0f}",
                f"{short(middle, 2)} [{short(low, 2)}, {short(high, 2)}]",
                f"{own['unlike'].mean():.0%}",
            ]
        )
    head = ["pages", "level", "difficulty", "spread", "P(U\\|d)", "unlike"]
    return markdown(head, rows)


def panel(bundle: Bundle) -> Iterator[tuple[str, str]]:
    """Yield parts of the document on the panel: rank correlations, and a table of its texts."""
    lines = (PANEL / "panel.tsv").read_text("utf-8").splitlines()
    head, *cells = [line.split("\t") for line in lines]
    members = [dict(zip(head, line, strict=True)) for line in cells]
    members.sort(key=lambda row: float(row["rank"]))
    texts = [(PANEL / row["file"]).read_text("utf-8") for row in members]
    batch = Batch([document_of_text(text) for text in texts])
    estimates = bundle.estimate(batch)
    ranks = np.array([float(row["rank"]) for row in members])
    agreement = {
        "difficulty": spearman(np.array([text.difficulty for text in estimates]), ranks),
        "level": spearman(np.array([text.level for text in estimates]), ranks),
    }
    yield (
        "panel-figures",
        markdown(
            ["", f"Spearman, {len(members)} texts"],
            [[name, short(value)] for name, value in agreement.items()],
        ),
    )
    rows = [
        [
            row["rank"],
            row["file"].removesuffix(".txt").replace("_", " "),
            row["kind"],
            f"{estimate.level:.2f}",
            f"{estimate.difficulty:.0f}",
            short(estimate.p_understandable, 2),
            " ".join(estimate.flags),
        ]
        for row, estimate in zip(members, estimates, strict=True)
    ]
    yield "panel", markdown(["rank", "text", "kind", "level", "difficulty", "P(U\\|d)", ""], rows)


def main() -> None:
    arguments = parser_of(__doc__, cache=True, output="results/pages.md").parse_args()
    bundle = load_bundle(ROOT / "resources" / "bundles" / "open")
    assert isinstance(bundle.model, PassageModel)
    table = cached(arguments.cache, "pages", lambda: Table.of(pages(arguments.data)))
    reading = bundle.model.read_passages(table.passages)
    difficulty, spread = bundle.calibration.apply(reading)
    estimates = {
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
        "chances": chances(table.sets, estimates),
        **dict(panel(bundle)),
    }
    fill(arguments.output, parts)


if __name__ == "__main__":
    main()
