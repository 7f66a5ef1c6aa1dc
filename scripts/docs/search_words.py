"""Check that searches of newcomers find the right page of the site among the first three hits.

    sphinx-build -q docs build/docs && python -m scripts.docs.search_words build/docs

The script searches in the built site, in Chromium. Titles and index entries were written with this
list of searches in hand. So the list guards against regressions, but does not estimate the success
of other searches.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from scripts.browser import BrowserPage, browsing
from scripts.shared import parser_of

# Search -> the pages that answer it, separated by spaces.
ANSWERS = dict(
    line.split("\t") for line in Path(__file__).with_suffix(".tsv").read_text("utf-8").splitlines()
)
_HITS = """new Promise(done => {
    const start = performance.now();
    const look = () => {
        const links = [...document.querySelectorAll("#search-results ul.search li > a")];
        const over = /finished|did not match/.test(document.body.innerText);
        if (over || performance.now() - start > 10000)
            done(links.map(link => link.getAttribute("href")));
        else setTimeout(look, 20);
    };
    look();
})"""


def hits(page: BrowserPage, site: Path, words: str) -> list[str]:
    """Search the site; returns the distinct pages, the best first."""
    page.open(f"{(site / 'search.html').resolve().as_uri()}?q={quote(words)}")
    links = (link.partition(".html")[0] for link in page.evaluate(_HITS))
    return list(dict.fromkeys(links))


def missed(site: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the searches without a right page among the first three hits, with those hits."""
    with tempfile.TemporaryDirectory() as folder, browsing(Path(folder)) as page:
        for words, right in ANSWERS.items():
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
    print(f"{len(ANSWERS) - len(wrong)} of {len(ANSWERS)} searches find a right page in three hits")


if __name__ == "__main__":
    main()
