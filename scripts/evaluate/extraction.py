"""Measure precision, recall and F1 of every extractor, policy of sentence ends and engine.

    python -m scripts.evaluate.extraction [--data ../shared/data] [--engine fast]
    python -m scripts.evaluate.extraction --check | --update [--lower REASON]

*gold* counts strings: ``extraction_gold`` lists strings of a page that must be kept, and strings
that must be dropped. Precision is the share of listed strings in the extracted text that must be
kept; recall is the share of strings to keep that are in the text. *wikipedia* compares the
extracted words with the article in ``wikipedia_med``, as bags of words; figures are means over
pages.

``--check`` fails if an F1 of the fast engine is below its floor in tests/text/extract/gate.json, or
below the F1 of the original library. ``--update`` writes new floors; it lowers a floor only for a
reason, which is stored in the file.
"""

import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import Any

from scripts.shared import ROOT, corpus, members, parser_of, records

from understandability.text.analysis import ENGINES, EXTRACTORS, extract
from understandability.text.page import Page
from understandability.text.parsed import ParsedPage, parse_page
from understandability.text.sentences import SENTENCE_ENDS, fields

GATE = ROOT / "tests" / "text" / "extract" / "gate.json"
# How far below its floor an F1 may be: other versions of libxml2 parse some pages differently.
TOLERANCE = 0.001
# Extractors that are extras have no floors.
EXTRAS = {name for name, row in EXTRACTORS.items() if row.extra}

INSTALLED = [name for name in EXTRACTORS if name not in EXTRAS or find_spec(name)]

Quality = tuple[float, float, float]  # precision, recall, F1
Gold = dict[str, tuple[list[str], list[str]]]  # by page: strings to keep, strings to drop


class Corpus:
    """The evaluated pages, with their gold strings or articles."""

    def __init__(self, data: Path) -> None:
        html, digest = data / "html", hashlib.sha256()
        self.pages: dict[str, ParsedPage] = {}
        self.gold: Gold = {}
        self.articles: dict[str, Counter[str]] = {}
        for row in records(html / "extraction_gold" / "gold.jsonl.gz"):
            self.gold[row["id"]] = (
                [_collapsed(text) for text in row["must_contain"]],
                [_collapsed(text) for text in row["must_not_contain"]],
            )
        articles = {row["id"]: row["text"] for row in corpus(data, "wikipedia_med")}
        for archive in ("extraction_gold/pages.tar.gz", "health_pages/health_pages.tar.gz"):
            for name, content in members(html / archive):
                article = articles.get(f"wiki-{Path(name).name.removesuffix('.html')}")
                if name.startswith("wikipedia/") and article is not None:
                    self.articles[name] = words_of(article)
                elif name not in self.gold:
                    continue
                digest.update(content)
                self.pages[name] = parse_page(Page(name, name, content))
        self.digest = digest.hexdigest()

    def evaluate(self, extractor: str, engine: str) -> dict[str, dict[str, Quality]]:
        """Return the quality of an extractor by policy of sentence ends and measure."""
        blocks = {name: extract(page, extractor, engine) for name, page in self.pages.items()}
        qualities = {}
        for policy in SENTENCE_ENDS:
            texts = {
                name: " ".join(fields(page_blocks, policy)) for name, page_blocks in blocks.items()
            }
            qualities[policy] = {
                "gold": self._by_strings(texts),
                "wikipedia": self._by_words(texts),
            }
        return qualities

    def _by_strings(self, texts: dict[str, str]) -> Quality:
        right = wrong = total = 0
        for name, (keep, drop) in self.gold.items():
            text = _collapsed(texts[name])
            total += len(keep)
            right += sum(string in text for string in keep)
            wrong += sum(string in text for string in drop)
        return quality(right, right + wrong, total)

    def _by_words(self, texts: dict[str, str]) -> Quality:
        qualities = [
            quality_of_bags(words_of(texts[name]), article)
            for name, article in self.articles.items()
        ]
        precision, recall, f1 = map(fmean, zip(*qualities, strict=True))
        return precision, recall, f1


def quality(right: int, predicted: int, gold: int) -> Quality:
    """Return precision, recall and F1 from the counts of right, predicted and gold items."""
    precision = right / predicted if predicted else 0.0
    recall = right / gold if gold else 0.0
    return precision, recall, 2 * right / (predicted + gold) if predicted + gold else 0.0


def _collapsed(text: str) -> str:
    return " ".join(text.split())


def words_of(text: str) -> Counter[str]:
    """Return the bag of words of a text."""
    return Counter(re.findall(r"\w+", text.lower()))


def quality_of_bags(predicted: Counter[str], gold: Counter[str]) -> Quality:
    """Return the quality of extracted words, compared with the gold words."""
    return quality((predicted & gold).total(), predicted.total(), gold.total())


def _evaluate(
    corpus: Corpus, extractors: Sequence[str], engines: Sequence[str]
) -> dict[str, dict[str, Quality]]:
    """Print the table, and return the qualities by engine, extractor and policy."""
    print(
        f"{len(corpus.gold)} gold pages, {len(corpus.articles)} Wikipedia pages\n\n"
        "| engine | extractor | sentence ends | gold P | R | F1 | wikipedia P | R | F1 |\n"
        "|---|---|---|---|---|---|---|---|---|"
    )
    results = {}
    for extractor in extractors:
        for engine in engines:
            for policy, measures in corpus.evaluate(extractor, engine).items():
                results[f"{engine}, {extractor}, {policy}"] = measures
                cells = [f"{value:.4f}" for values in measures.values() for value in values]
                print("|", " | ".join([engine, extractor, policy, *cells]), "|", flush=True)
    return results


def _f1(results: dict[str, dict[str, Quality]]) -> dict[str, float]:
    """Return the F1 by engine, extractor, policy and measure, without optional extractors."""
    return {
        f"{name}, {measure}": round(values[2], 4)
        for name, measures in results.items()
        for measure, values in measures.items()
        if not EXTRAS.intersection(name.split(", "))
    }


def check(scores: dict[str, float], gate: dict[str, Any], digest: str) -> list[str]:
    """Compare F1 scores with their floors; returns an error message per score that is too low."""
    if digest != gate["corpus"]:
        return ["the floors were measured on other pages; run with --update"]
    errors = []
    for name, floor in gate["f1"].items():
        if not name.startswith("fast, ") or name not in scores:
            continue
        if scores[name] < floor - TOLERANCE:
            errors.append(f"{name}: F1 {scores[name]:.4f} is below its floor {floor:.4f}")
        library = gate["f1"][name.replace("fast, ", "reference, ")]
        if scores[name] < library - TOLERANCE:
            errors.append(f"{name}: F1 {scores[name]:.4f} is below the library's {library:.4f}")
    return errors


def update(scores: dict[str, float], digest: str, reason: str | None) -> None:
    """Write the floors; raises `SystemExit` if a floor would be lowered without a reason."""
    gate = json.loads(GATE.read_text("utf-8")) if GATE.exists() else {"f1": {}, "lowered": []}
    lower = [
        name
        for name, floor in gate["f1"].items()
        if name.startswith("fast, ") and scores.get(name, 0.0) < floor
    ]
    if lower and not reason:
        raise SystemExit(f"F1 would be lower for {'; '.join(lower)}; give --lower REASON")
    if lower:
        gate["lowered"].append({"reason": reason, "floors": lower})
    gate |= {"corpus": digest, "f1": scores}
    GATE.write_text(json.dumps(gate, indent=1) + "\n", "utf-8")


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--engine", choices=ENGINES, help="both")
    parser.add_argument("--check", action="store_true", help="compare with the floors")
    parser.add_argument("--update", action="store_true", help="write the floors")
    parser.add_argument("--lower", metavar="REASON", help="let --update lower floors")
    options = parser.parse_args()
    corpus = Corpus(options.data)
    engines = ["fast"] if options.check else [options.engine] if options.engine else ENGINES
    extractors = [name for name in INSTALLED if name not in EXTRAS or not options.check]
    scores = _f1(_evaluate(corpus, extractors, engines))
    if options.update:
        update(scores, corpus.digest, options.lower)
    if options.check:
        errors = check(scores, json.loads(GATE.read_text("utf-8")), corpus.digest)
        print(*errors, sep="\n", file=sys.stderr)
        return int(bool(errors))
    return 0


if __name__ == "__main__":
    sys.exit(main())
