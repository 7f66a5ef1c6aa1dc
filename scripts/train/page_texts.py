"""The labelled sets and the page sets, as plain lists, for everything that trains or evaluates.

    labelled("medreadme") -> list[Text]        harder = higher, detokenised
    pages() -> list[Text]                      whole pages; `set` is the kind, label NaN
    groups_of(texts), folds_of(groups)         near-duplicates share a group
    shared_with(train, held) -> mask           train rows whose near-duplicate stands in `held`

Texts keep lines: a line break ends a field.
"""

from __future__ import annotations

import gzip
import html
import json
import os
import re
import tarfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import rankdata

DATA = Path(os.environ.get("DATA", "/work/shared/data"))
CACHE = Path(__file__).parent

# set -> (direction: 1 where a higher label is harder, family: sets that share groups, tokenised)
SETS = {
    "medreadme": (1, "medreadme", False),
    "medreadme_docs": (1, "medreadme", False),
    "readmepp_en": (1, "readmepp", False),
    "clear": (-1, "clear", False),
    "onestop": (1, "onestop", False),
    "cochrane_pls": (1, "cochrane", False),
    "wiki_simple_pairs": (1, "wiki", False),
    "cefr_sp_wiki": (1, "cefrsp", True),
    "med_wiki_pairs": (1, "medwiki", True),
    "pdq_pages": (1, "pdq", False),
}
BY_ORIGIN = ("cochrane_pls", "wiki_simple_pairs", "med_wiki_pairs", "pdq_pages")
OPEN_LABELS = ("cefr_sp_wiki", "onestop", "med_wiki_pairs", "pdq_pages", "wiki_simple_pairs")
NOT_OPEN = ("medreadme", "medreadme_docs", "readmepp_en", "clear")


@dataclass(frozen=True)
class Text:
    set: str
    id: str
    text: str
    label: float
    group: str
    split: str = ""


def _read(path: Path) -> Iterable[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_BRACKET = re.compile("|".join(_BRACKETS))


def detokenise(text: str) -> str:
    """Tokens between blanks to text as people write it.

    >>> detokenise("He said : `` It 's ( very ) good , is n't it ? ''")
    'He said: "It\\'s (very) good, isn\\'t it?"'
    """
    text = _BRACKET.sub(lambda found: _BRACKETS[found.group()], html.unescape(text))
    text = text.replace("@-@", "-").replace("``", '"').replace("''", '"')
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r" ([.,;:!?%)\]}]+)(?= |$)", r"\1", text)
    text = re.sub(r"([(\[{$£#]) ", r"\1", text)
    text = re.sub(r" (n't|'(?:s|m|d|re|ve|ll)|'(?=\s))(?!\w)", r"\1", text, flags=re.I)
    text = re.sub(r"(\w) - (\w)", r"\1-\2", text) if " - " in text and "–" not in text else text
    text = re.sub(r"(\d) / (\d)", r"\1/\2", text)
    # Of straight quotation marks every first opens and every second closes.
    parts = text.split('"')
    if len(parts) % 2 == 1 and len(parts) > 1:
        for i in range(1, len(parts), 2):
            parts[i] = parts[i].strip()
        text = '"'.join(parts)
    return text


def labelled(name: str) -> list[Text]:
    direction, _, tokenised = SETS[name]
    return [
        Text(
            name,
            row["id"],
            detokenise(row["text"]) if tokenised else row["text"],
            direction * float(row["label"]),
            str(row["group"]),
            row.get("split") or "",
        )
        for row in _read(DATA / "labelled" / f"{name}.jsonl.gz")
    ]


def _html_pages() -> list[Text]:
    """Health pages and gold pages, main text by trafilatura, kept in a file."""
    path = CACHE / "html_pages.jsonl.gz"
    if not path.exists():
        import trafilatura

        from understandability.pages import parse_page
        from understandability.records import Page

        kinds = {}
        lines = (DATA / "html/health_pages/pages.tsv").read_text().split("\n")
        for line in lines[1:]:
            if line:
                fields = line.split("\t")
                kinds[fields[0]] = fields[1]
        english = {
            row["id"]: row["language"] for row in _read(DATA / "html/extraction_gold/gold.jsonl.gz")
        }
        rows = []
        for archive in ("health_pages/health_pages", "extraction_gold/pages"):
            with tarfile.open(DATA / "html" / f"{archive}.tar.gz") as tar:
                for member in tar:
                    if not member.isfile():
                        continue
                    kind = kinds.get(member.name, "general")
                    if kind == "general" and english.get(member.name) != "en":
                        continue
                    parsed = parse_page(Page(member.name, "", tar.extractfile(member).read()))
                    text = trafilatura.extract(
                        parsed.text, include_comments=kind.endswith("askdocs")
                    )
                    rows.append({"id": member.name, "set": kind, "text": text or ""})
        with gzip.open(path, "wt", encoding="utf-8") as out:
            for row in rows:
                out.write(json.dumps(row) + "\n")
    names = {
        "cdc_pcd2024": "cdc",
        "clef2017_askdocs": "askdocs",
        "enwiki_disease": "wikipedia",
        "schwarz2011": "schwarz",
        "sondhi2012": "sondhi",
    }
    return [
        Text(names.get(row["set"], row["set"]), row["id"], row["text"], np.nan, row["id"])
        for row in _read(path)
    ]


_NIH = {"nih_mplus_health_topics": "medlineplus", "nih_ghr": "ghr"}


def _corpora() -> list[Text]:
    texts = [
        Text(_NIH.get(row["source"], row["source"]), row["id"], row["text"], np.nan, row["id"])
        for row in _read(DATA / "corpora/consumer_nih.jsonl.gz")
    ]
    texts += [
        Text(row["source"], row["id"], row["text"], np.nan, row["id"])
        for row in _read(DATA / "corpora/pubmed.jsonl.gz")
    ]
    for row in _read(DATA / "corpora/reddit_like.jsonl.gz"):
        kind = (
            "askdocs_post"
            if row["source"] == "clef2017_askdocs"
            else (
                "reddit_thread"
                if row["source"] == "reddit_threads"
                else "reddit_short"
                if row["source"] == "rhmd_reddit"
                else "forum_question"
            )
        )
        texts.append(Text(kind, row["id"], row["text"], np.nan, row["id"]))
    return texts


def _some(texts: list[Text], most: int) -> list[Text]:
    """At most so many, the same ones every time."""
    return sorted(sorted(texts, key=lambda t: zlib.crc32(t.id.encode()))[:most], key=lambda t: t.id)


def pages(most: int = 300) -> list[Text]:
    """Whole pages by kind, at most so many of each kind but health pages (all of them).

    cdc sondhi schwarz wikipedia askdocs general | medlineplus ghr nih_* | pmc_fulltext pmc_abstract
    pubmedqa | forum_question reddit_thread reddit_short askdocs_post | pdq_hp pdq_patient
    """
    texts = [t for t in _html_pages() if len(t.text.split()) >= 20]
    by_kind: dict[str, list[Text]] = {}
    for text in _corpora():
        by_kind.setdefault(text.set, []).append(text)
    for kind, found in by_kind.items():
        if kind not in ("hoc_cancer", "ncbi_disease"):
            texts += _some(found, most)
    texts += [
        Text("pdq_hp" if t.label else "pdq_patient", t.id, t.text, np.nan, t.group)
        for t in labelled("pdq_pages")
    ]
    return texts


_NOT_WORD = re.compile(r"[^a-z0-9]+")
_SHINGLE, _MOST_SHARED = 5, 12


def _shingles(text: str) -> np.ndarray:
    words = _NOT_WORD.sub(" ", text.lower()).split()
    size = min(_SHINGLE, max(1, len(words)))
    codes = np.array([zlib.crc32(word.encode()) for word in words], np.uint64)
    if not len(codes):
        return np.empty(0, np.uint64)
    sums = np.zeros(len(codes) - size + 1, np.uint64)
    for place in range(size):
        sums = sums * np.uint64(1000003) + codes[place : len(codes) - size + 1 + place]
    return np.unique(sums)


def near_duplicates(texts: Sequence[Text], share: float = 0.5) -> list[tuple[int, int]]:
    """Pairs of texts of which the smaller has half of its runs of five words in the other."""
    sets = [_shingles(text.text) for text in texts]
    sizes = np.array([len(s) for s in sets])
    codes = np.concatenate(sets)
    owners = np.repeat(np.arange(len(sets)), sizes)
    order = np.lexsort((owners, codes))
    codes, owners = codes[order], owners[order]
    starts = np.flatnonzero(np.append(True, codes[1:] != codes[:-1]))
    counts = np.diff(np.append(starts, len(codes)))
    left, right = [], []
    for size in range(2, _MOST_SHARED + 1):
        first = starts[counts == size]
        for i in range(size):
            for j in range(i + 1, size):
                left.append(owners[first + i])
                right.append(owners[first + j])
    keys, shared = np.unique(
        np.concatenate(left).astype(np.int64) * len(sets) + np.concatenate(right),
        return_counts=True,
    )
    a, b = keys // len(sets), keys % len(sets)
    # Short sentences ("He died in 1837 in Paris.") are alike by chance unless they are the same.
    smaller, larger = np.minimum(sizes[a], sizes[b]), np.maximum(sizes[a], sizes[b])
    near = (shared >= share * smaller) & ((smaller >= 6) | (shared == larger))
    return list(zip(a[near].tolist(), b[near].tolist(), strict=True))


def groups_of(texts: Sequence[Text]) -> np.ndarray:
    """A number for each text; those of one group, or near-duplicates, have the same."""
    parent: dict[object, object] = {}

    def find(key: object) -> object:
        parent.setdefault(key, key)
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    keys = [(SETS.get(t.set, (0, "pages"))[1], t.group) for t in texts]
    for a, b in near_duplicates(texts):
        parent[find(keys[a])] = find(keys[b])
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(find(key), len(numbers)) for key in keys])


def folds_of(groups: np.ndarray, folds: int = 5, seed: int = 0) -> np.ndarray:
    """The fold of each row; a group is in one fold, groups are dealt out evenly."""
    distinct, number = np.unique(groups, return_inverse=True)
    dealt = np.random.default_rng(seed).permutation(np.arange(len(distinct)) % folds)
    return dealt[number]


# -- measures ------------------------------------------------------------------------------------


def pearson(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.corrcoef(x, y)[0, 1])


def spearman(x: np.ndarray, y: np.ndarray) -> float:
    return pearson(rankdata(x), rankdata(y))


def auc(harder: np.ndarray, easier: np.ndarray) -> float:
    """How often a text of `harder` has the higher value; ties count half."""
    ranks = rankdata(np.concatenate([harder, easier]))
    n, m = len(harder), len(easier)
    return float((ranks[:n].sum() - n * (n + 1) / 2) / (n * m))


def label_auc(values: np.ndarray, labels: np.ndarray) -> float:
    top = labels == labels.max()
    return auc(values[top], values[~top])


def bootstrap(measure, values, labels, groups, times: int = 300, seed: int = 0):
    """(value, low, high): a 95 % interval that resamples groups."""
    rng = np.random.default_rng(seed)
    _, number = np.unique(groups, return_inverse=True)
    order = np.argsort(number, kind="stable")
    starts = np.searchsorted(number[order], np.arange(number.max() + 2))
    found = []
    for _ in range(times):
        drawn = rng.integers(0, len(starts) - 1, len(starts) - 1)
        rows = np.concatenate([order[starts[g] : starts[g + 1]] for g in drawn])
        found.append(measure(values[rows], labels[rows]))
    return measure(values, labels), *np.quantile(found, [0.025, 0.975])


def bootstrap_auc(harder, easier, times: int = 300, seed: int = 0):
    rng = np.random.default_rng(seed)
    found = [
        auc(rng.choice(harder, len(harder)), rng.choice(easier, len(easier))) for _ in range(times)
    ]
    return auc(harder, easier), *np.quantile(found, [0.025, 0.975])


if __name__ == "__main__":
    import time
    from collections import Counter

    for sample in (
        "There are three main types of chocolate : white chocolate , milk chocolate .",
        "He said : `` It 's ( very ) good , is n't it ? ''",
    ):
        print(detokenise(sample))
    start = time.time()
    texts = [text for name in SETS for text in labelled(name)]
    print(len(texts), time.time() - start)
    groups = groups_of(texts)
    sizes = np.bincount(groups)
    print("groups", len(sizes), "largest", np.sort(sizes)[-5:], time.time() - start)
    crossing = Counter()
    for g in np.flatnonzero(sizes > 1):
        pass
    of = {}
    for t, g in zip(texts, groups, strict=True):
        of.setdefault(g, set()).add(t.set)
    print(Counter(tuple(sorted(s)) for s in of.values() if len(s) > 1))
    found = pages()
    print(Counter(t.set for t in found), time.time() - start)
