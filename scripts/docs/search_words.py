"""Whether words that newcomers search for lead to the right page of the site, in three hits.

    sphinx-build -q docs build/docs && python -m scripts.docs.search_words build/docs

Searches in the built site, in Chromium. Titles and entries of the index were written with this list
in hand, so it guards what is found today, and does not say what share of other words is.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from scripts.browser import BrowserPage, browsing
from scripts.shared import parser_of

# What is typed, and the pages any of which answers it.
WANTED = dict(
    line.split("\t") for line in Path(__file__).with_suffix(".tsv").read_text("utf-8").splitlines()
)
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
