"""Whether words that newcomers search for lead to the right page of the site, in three hits.

    sphinx-build -q docs build/docs && python -m scripts.docs.search_words build/docs

Searches in the built site, in Chromium. Titles and entries of the index were written with this list
in hand, so it guards what is found today, and does not say what share of other words is.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from scripts.browser import BrowserPage, browsing
from scripts.shared import parser_of

# What is typed, and the pages any of which answers it.
WANTED: dict[str, str] = {
    "install": "start/install start/index",
    "uninstall": "start/install questions",
    "windows": "start/install",
    "macos": "start/install",
    "docker": "start/install howto/serve",
    "upgrade": "start/install",
    "version": "start/install questions howto/coming_from",
    "compiler": "start/install",
    "faq": "questions",
    "troubleshooting": "questions",
    "command not found": "questions",
    "error": "reference/errors questions",
    "exit code": "reference/errors",
    "license": "questions",
    "gpu": "questions start/install",
    "privacy": "questions howto/editor",
    "accuracy": "questions quality/index start/number",
    "audit": "start/number questions",
    "good score": "questions start/number",
    "reading age": "questions",
    "grade level": "questions readability_formulas",
    "hemingway": "questions howto/coming_from",
    "lexile": "questions",
    "smog": "readability_formulas reference/features",
    "flesch": "readability_formulas reference/features questions",
    "gunning fog": "readability_formulas reference/features",
    "dale chall": "readability_formulas reference/features",
    "coleman liau": "readability_formulas reference/features",
    "textstat": "howto/coming_from readability_formulas",
    "german": "readability_formulas questions howto/languages reference/features",
    "spanish": "readability_formulas questions howto/languages reference/features",
    "passive": "howto/editor reference/features",
    "plain language": "start/writing howto/rewriting howto/editor commands/explain",
    "hard words": "howto/editor start/writing howto/rewriting",
    "google docs": "questions",
    "word docx": "start/writing questions start/install howto/editor",
    "pdf": "start/writing questions start/install howto/editor",
    "excel": "questions",
    "wordpress": "questions",
    "cms": "questions howto/component",
    "pre-commit": "howto/check questions",
    "github action": "howto/check questions",
    "vale": "howto/check questions",
    "chatgpt": "questions howto/assistants",
    "mcp": "howto/assistants commands/mcp",
    "api": "howto/serve reference/python",
    "elasticsearch": "howto/search_engines",
    "spark": "howto/pipelines",
    "pandas": "howto/pipelines reference/python",
    "duckdb": "howto/pipelines questions",
    "warc": "howto/crawl start/search commands/score",
    "resume": "howto/crawl commands/score",
    "boilerplate": "concepts/extraction",
    "rbp": "reference/measures concepts/measures",
    "ndcg": "reference/measures concepts/measures",
    "significance": "evaluation commands/compare",
    "pyterrier": "howto/pyterrier",
    "train": "howto/own_estimator start/models commands/train",
    "calibration": "concepts/understanding howto/own_estimator estimators commands/calibrate",
    "cefr": "concepts/understanding glossary questions",
}
_FOUND = """new Promise(done => {
    const start = performance.now();
    const look = () => {
        const links = [...document.querySelectorAll("#search-results ul.search li > a")];
        const over = /finished|did not match/.test(document.body.innerText);
        if (over || performance.now() - start > 10000)
            done(links.map(each => each.getAttribute("href")));
        else setTimeout(look, 20);
    };
    look();
})"""


def hits(page: BrowserPage, site: Path, words: str) -> list[str]:
    """The pages that the site's search gives, the best first, each once."""
    page.open(f"{(site / 'search.html').resolve().as_uri()}?q={quote(words)}")
    links = (each.partition(".html")[0] for each in page.evaluate(_FOUND))
    return list(dict.fromkeys(links))


def missed(site: Path) -> Iterator[tuple[str, list[str]]]:
    """The words whose first three hits have no right page, with those hits."""
    with tempfile.TemporaryDirectory() as folder, browsing(Path(folder)) as page:
        for words, right in WANTED.items():
            first = hits(page, site, words)[:3]
            if not set(first) & set(right.split()):
                yield words, first


def main() -> None:
    parser = parser_of(__doc__, data=False)
    parser.add_argument("site", type=Path)
    site = parser.parse_args().site
    wrong = dict(missed(site))
    for words, first in wrong.items():
        print(f"{words}: {', '.join(first) or 'nothing'}")
    print(f"{len(WANTED) - len(wrong)} of {len(WANTED)} words lead to a right page in three hits")


if __name__ == "__main__":
    main()
