"""Compare our estimates with those of open language models on the same labelled texts.

    python -m scripts.evaluate.language_models [--data ../shared/data] [--check]

Texts are scored by `score_table` with default settings, without stating their language.
README.md says what `open` learned from these sets. Grossman & Chen (ACL 2026) published the
scores of language models: Llama 3, Gemma, Phi, Aya and Mixtral, with two prompts. The best language
model and the best formula of a set are chosen on the set itself, which favours them. Figures are
Pearson correlations with human ratings; intervals resample groups. Fills in README.md,
docs/quality/index.md and docs/languages.md.
"""

import csv
import gzip
from pathlib import Path

import numpy as np
from scripts.evaluate.intervals import measured
from scripts.shared import ROOT, fill, markdown, parser_of, records

import understandability as ud
from understandability.evaluation.correlation import pearson

# The set, its name in the table, and its folder.
SETS = (
    ("readmepp_en", "ReadMe++ English", "labelled"),
    ("medreadme", "MedReadMe, sentences", "labelled"),
    ("clear", "CLEAR", "labelled"),
    ("onestop", "OneStop (`open` learned from it)", "labelled"),
    ("readmepp_fr", "ReadMe++ French", "languages"),
    ("readmepp_ru", "ReadMe++ Russian", "languages"),
    ("readmepp_hi", "ReadMe++ Hindi", "languages"),
    ("readmepp_ar", "ReadMe++ Arabic", "languages"),
)
LLAMA = "llama_70b_avg"
LANGUAGE_MODELS = ("llama", "mixtral", "aya", "gemma", "phi")
HEAD = ("human ratings", "understandability", "Llama 3 70B", "best language model", "best formula",
        "texts")  # fmt: skip


def published(path: Path) -> dict[str, dict[str, float]]:
    """Read the published scores: text id -> column in lower case -> score."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return {
        row.pop("id"): {name.lower(): float(value or "nan") for name, value in row.items()}
        for row in rows
    }


def is_language_model(column: str) -> bool:
    """Return True for a column of a language model, False for a column of a formula."""
    return any(name in column for name in LANGUAGE_MODELS)


def row_of(data: Path, name: str, title: str, folder: str) -> list[str]:
    """Return one row of the table."""
    scores = published(data / "llm_scores" / f"{name}.tsv.gz")
    texts = [row for row in records(data / folder / f"{name}.jsonl.gz") if row["id"] in scores]
    labels = np.array([float(text["label"]) for text in texts])
    groups = np.array([str(text["group"]) for text in texts])
    table = ud.score_table({"id": [t["id"] for t in texts], "text": [t["text"] for t in texts]},
                           text="text", id="id")  # fmt: skip

    def agreement(values: np.ndarray) -> tuple[float, str]:
        """Return the absolute correlation, and a string with its interval."""
        result = measured(lambda a, b: abs(pearson(a, b)), values, labels, groups)
        return result.value, result.formatted()

    ours = [np.array(table[name], float) for name in ("difficulty", "level")]
    estimated = [values for values in ours if np.isfinite(values).sum() > 1]
    best = max((agreement(values) for values in estimated), default=(0.0, "none"))[1]
    columns = {
        column: np.array([scores[text["id"]][column] for text in texts])
        for column in scores[texts[0]["id"]]
    }
    others = {
        column: agreement(values)
        for column, values in columns.items()
        if np.isfinite(values).sum() > len(texts) / 2
    }
    models = {column: value for column, value in others.items() if is_language_model(column)}
    formulas = [value for column, value in others.items() if column not in models]
    return [
        title,
        best,
        models[LLAMA][1] if LLAMA in models else "-",
        max(models.values())[1] if models else "-",
        max(formulas)[1] if formulas else "-",
        f"{len(texts):,}",
    ]


def main() -> None:
    """Fill in the table."""
    arguments = parser_of(__doc__).parse_args()
    rows = [row_of(arguments.data, *row) for row in SETS]
    table = markdown(HEAD, rows)
    print(table)
    for document in ("README.md", "docs/quality/index.md"):
        fill(ROOT / document, {"language-models": table})
    of_languages = [
        row for row, (*_, folder) in zip(rows, SETS, strict=True) if folder != "labelled"
    ]
    fill(ROOT / "docs/languages.md", {"language-models-of-languages": markdown(HEAD, of_languages)})


if __name__ == "__main__":
    main()
