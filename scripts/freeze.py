"""Write the values that must not change by accident: scores, features and measures.

    python -m scripts.freeze [PAGES ... --output FILE]

Without arguments, this replaces tests/golden/frozen.json, which has one value per line. State the
reason for new columns or changed values in the commit message.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from scripts.shared import ROOT, parser_of

import understandability as ud
from understandability.inputs.sources import Sources
from understandability.text.analysis import BUILT_IN_EXTRACTORS

FROZEN = ROOT / "tests/golden/frozen.json"
PAGES = [ROOT / "resources/samples"]
PANEL = sorted((ROOT / "tests/panel").glob("*.txt"))
SENTENCE_ENDS = ("none", "force-period", "force-period-always")
BUNDLES = ("open", "llr", "background-mlp")
MEASURES = (
    "RBP(p=0.8)@10",
    "uRBP(p=0.8)@10",
    "uRBPgr(p=0.8)@10",
    "RBPu(p=0.8)@10",
    "HRBP(p=0.8,wr=1,wu=1)@10",
    "nDCG@10",
    "unDCG@10",
    "ERR@10",
    "uERR@10",
    "Judged@10",
    "P@5",
    "AP",
)
RUNS = {
    name: {
        f"q{query}": {f"d{(rank * step + query) % 23}": 20.0 - rank for rank in range(15)}
        for query in range(5)
    }
    for name, step in (("first", 3), ("second", 7), ("third", 11))
}
RELEVANCE = {f"q{query}": {f"d{doc}": (doc * query) % 3 for doc in range(20)} for query in range(5)}
LABELS = {f"d{doc}": doc * 4.5 for doc in range(22)}


def rounded(value: Any) -> Any:
    """Return a value as JSON stores it: numbers with six significant digits, NaN as null."""
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    if isinstance(value, Mapping):
        # A scale is not a number, and paths differ between machines.
        items = [(key, item) for key, item in value.items() if key not in ("path", "scale")]
        return {str(key): rounded(item) for key, item in items}
    if isinstance(value, str) or not isinstance(value, Iterable):
        return value
    return [rounded(item) for item in value]


def frozen(pages: list[Path] = PAGES, texts: list[Path] = PANEL) -> Iterator[tuple[str, Any]]:
    """Yield the name and the value of everything that is frozen."""
    inputs = [str(path) for path in pages if path.exists()]
    for extractor in BUILT_IN_EXTRACTORS:
        for ends in SENTENCE_ENDS:
            for row in ud.score(inputs, extractor=extractor, sentence_ends=ends):
                yield f"{row['docno']} {extractor} {ends}", rounded(row)
    for bundle in BUNDLES:
        for row in ud.score([*inputs, *map(str, texts)], bundle=bundle):
            yield f"{row['docno']} {bundle}", rounded(row)
    for row in ud.features(Sources(inputs)):
        yield f"{row['docno']} features", rounded(row)
    result = ud.evaluate(RUNS, RELEVANCE, LABELS, scale="lower-easier:40:0..100", measures=MEASURES)
    for name in MEASURES:
        yield name, rounded(result.column(name).tolist())


def main() -> None:
    parser = parser_of(__doc__, data=False)
    parser.add_argument("pages", nargs="*", type=Path, default=PAGES)
    parser.add_argument("--output", type=Path, default=FROZEN)
    options = parser.parse_args()
    text = json.dumps(dict(frozen(options.pages)), indent=1)  # one value per line
    options.output.write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    main()
