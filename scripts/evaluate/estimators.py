"""Compare `open` and formulas with human labels of sets that `open` was not trained on.

    python -m scripts.evaluate.estimators [--cache FOLDER]

Fills in ``results/estimators.md``. The figures of `open` come from its card, by
``scripts.train.pages``.
"""

from scripts.evaluate.intervals import Measured, harder
from scripts.shared import ROOT, fill, markdown, parser_of, stamp
from scripts.train.page_texts import training_table
from scripts.train.pages import agreement

from understandability.model.bundle import load_bundle
from understandability.training.validation import BASELINES


def main() -> None:
    arguments = parser_of(__doc__, cache=True, output="results/estimators.md").parse_args()
    bundle = load_bundle(ROOT / "resources" / "bundles" / "open")
    table = training_table(arguments.data, arguments.cache)
    formulas = harder(table.formulas).T
    rows: dict[str, list[str]] = {}
    for figure in bundle.card["figures"]:
        if figure["seen"] != "nothing of it":
            continue
        name, measure = figure["set"], figure["measure"]
        row = rows.setdefault(name, [f"{name} ({figure['n']:,}, {measure})"])
        row.append(str(Measured(*(figure[field] for field in Measured._fields))))
    for name, row in rows.items():
        row += [str(agreement(table, name, values)[1]) for values in formulas]
    head = ["set", "level", "difficulty", *BASELINES]
    parts = {
        "bundles": stamp(bundle.checksum),
        "left-out": markdown(head, list(rows.values())),
    }
    fill(arguments.output, parts)


if __name__ == "__main__":
    main()
