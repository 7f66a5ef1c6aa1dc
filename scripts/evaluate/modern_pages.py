"""Measure the word F1 of every extractor on modern pages of seven kinds (WCXB).

    python -m scripts.evaluate.modern_pages [--data ../shared/data] [--extractor main] [--pages]

The definition is WCXB's: the F1 of bags of words, averaged over pages. Means over kinds are
weighted by the number of pages in WCXB's development part. ``--pages`` prints the values of each
page, the worst first. ``--texts FOLDER`` adds your own system, with a file per page
(``article/4833.txt``); a missing file counts as an empty text.
"""

from collections import defaultdict
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean

from scripts.evaluate.extraction import INSTALLED, quality_of_bags, words_of
from scripts.shared import members, parser_of, records

from understandability.text.analysis import extract, parse_for
from understandability.text.page import Page

WEIGHTS = {
    "article": 793, "documentation": 91, "service": 165, "forum": 113,
    "product": 119, "collection": 117, "listing": 99,
}  # fmt: skip
PROSE = ("article", "documentation", "service", "forum")


def ours(extractor: str) -> Callable[[bytes], str]:
    """Return a function that extracts the text of a page with one of our extractors."""

    def text(content: bytes) -> str:
        blocks = extract(parse_for(Page("", "", content), extractor), extractor)
        return "\n".join(block.text for block in blocks if block.kept)

    return text


def resiliparse(content: bytes) -> str:
    """Extract the main text with resiliparse."""
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    source = bytes_to_str(content, detect_encoding(content))
    return str(extract_plain_text(source, main_content=True))


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--extractor", help="only this one")
    parser.add_argument("--pages", action="store_true", help="print each page")
    parser.add_argument("--texts", type=Path, help="a folder with the texts of your own system")
    options = parser.parse_args()
    folder = options.data / "html/wcxb"
    gold = {row["id"]: row for row in records(folder / "gold.jsonl.gz")}
    contents = {
        name.removesuffix(".html"): content for name, content in members(folder / "pages.tar.gz")
    }
    functions = {name: ours(name) for name in INSTALLED}
    if options.texts:
        paths = {content: options.texts / f"{name}.txt" for name, content in contents.items()}
        texts = {content: p.read_text("utf-8") for content, p in paths.items() if p.exists()}
        functions[options.texts.name] = lambda content: texts.get(content, "")
    if find_spec("resiliparse"):
        functions["resiliparse"] = resiliparse
    print("| extractor |", " | ".join(WEIGHTS), "| prose | all |")
    print("|---" * (len(WEIGHTS) + 3) + "|")
    for extractor, text in functions.items():
        if options.extractor not in (None, extractor):
            continue
        values: dict[str, list[float]] = defaultdict(list)
        rows = []
        for name, row in gold.items():
            words, gold_words = words_of(text(contents[name])), words_of(row["text"])
            is_empty = not (words or gold_words)
            quality = (1.0, 1.0, 1.0) if is_empty else quality_of_bags(words, gold_words)
            values[row["kind"]].append(quality[2])
            rows.append((quality, name))
        means = {category: fmean(values[category]) for category in WEIGHTS}
        together = [
            fmean([means[name] for name in categories], [WEIGHTS[name] for name in categories])
            for categories in (PROSE, WEIGHTS)
        ]
        cells = " | ".join(f"{value:.3f}" for value in [*means.values(), *together])
        print(f"| {extractor} | {cells} |", flush=True)
        if options.pages:
            for quality, name in sorted(rows, key=lambda row: row[0][2]):
                print(name, *(f"{value:.3f}" for value in quality))


if __name__ == "__main__":
    main()
