"""The texts that the page models learn from and are judged on, read as passages.

`SETS` are the labelled sets, with their licences; `labelled` and `pages` give their texts, `Table`
their passages. Texts keep their lines, because a line break ends a field. Web pages are read by the
package's own extractor, as users' pages are.
"""

from __future__ import annotations

import hashlib
import html
import random
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components
from scripts.shared import ROOT, corpus, members, records

from understandability.arrays import Floats
from understandability.errors import PageError
from understandability.feature.batch import Batch
from understandability.feature.table import batches, features_of
from understandability.model.passages import Passages, passages, read_sentences
from understandability.model.word_columns import RUNS, known_of, runs_of_letters, words_and_vectors
from understandability.text.analysis import document_of_page, document_of_text, extract, parse_for
from understandability.text.document import Document
from understandability.text.page import Page
from understandability.training.validation import BASELINES
from understandability.training.validation import folds_of as dealt_out

Mask = NDArray[np.bool_]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class LabelledSet:
    """A file of ``labelled``: what its labels mean, and whether they may be used by anyone.

    Sets of one `family` share texts, and so groups. Labels `by_origin` are 1 for the harder and 0
    for the easier text of a group; nobody judged them.
    """

    licence: str
    source: str
    family: str = ""
    harder: int = 1
    tokenised: bool = False
    by_origin: bool = False


SETS = {
    "medreadme": LabelledSet("none stated", "chaojiang06/medreadme", "medreadme"),
    "medreadme_docs": LabelledSet(
        "none stated", "chaojiang06/medreadme, sentences joined", "medreadme"
    ),
    "readmepp_en": LabelledSet("research, non-commercial", "tareknaous/readme"),
    "clear": LabelledSet("CC BY-NC-SA 4.0", "scrosseye/CLEAR-Corpus", harder=-1),
    "onestop": LabelledSet("CC BY-SA 4.0", "nishkalavallabhi/OneStopEnglishCorpus"),
    "cochrane_pls": LabelledSet(
        "CC BY 4.0",
        "AshOlogn/Paragraph-level-Simplification-of-Medical-Texts",
        by_origin=True,
    ),
    "wiki_simple_pairs": LabelledSet("MIT", "vanh17/MedTextSimplifier", by_origin=True),
    "cefr_sp_wiki": LabelledSet(
        "CC BY-SA 3.0 (its README, of the Wikipedia part; a list elsewhere calls the whole set "
        "non-commercial)",
        "yukiar/CEFR-SP",
        tokenised=True,
    ),
    "med_wiki_pairs": LabelledSet(
        "CC BY-SA 3.0", "myTomorrows-research/public", tokenised=True, by_origin=True
    ),
    "pdq_pages": LabelledSet(
        "public domain (US government)", "National Cancer Institute, PDQ, 2025", by_origin=True
    ),
    "readings": LabelledSet(
        "the readings are ours; texts CC0, public domain, CC BY, CC BY-SA, MIT, Apache-2.0",
        "passages read twice by a language model, for difficulty and understanding",
    ),
}
READINGS = "readings"
OWN = "own:"  # how kinds begin of which the texts were written for the set
# Texts that were read like the others, but once: they are learned from and judge nothing.
READ_ONCE = "read_once"
READ_ONCE_FILE = ROOT / "readings" / "once.jsonl.gz"
# Passages of `unread` that were read once all the same.
OPEN_PASSAGES_FILE = READ_ONCE_FILE.with_name("open_passages.jsonl.gz")

# Single sentences that were read, and runs of two or three; most once, most of them of `unread`.
READ_SENTENCES = "read_sentences"
READ_SENTENCES_FILE = READ_ONCE_FILE.with_name("sentences.jsonl.gz")

# Sentences of CEFR-SP one behind the other, with the mean of their levels.
JOINED = "cefr_sp_joined"
_FEWEST_JOINED, _MOST_JOINED, _TIMES_JOINED = 2, 6, 2
FOLDS = 5  # into which groups are dealt

# Whole pages that were read, whose texts are not ours to give.
READ_PAGES = "read_pages"
READ_PAGES_FILE = READ_ONCE_FILE.with_name("pages.jsonl")
_FIRST = 550  # words of a page were read

# Kinds of pages by where they come from; of a corpus at most `MOST` of each source are used.
_WEB = {
    "cdc_pcd2024": "cdc",
    "clef2017_askdocs": "askdocs",
    "enwiki_disease": "wikipedia",
    "schwarz2011": "schwarz",
    "sondhi2012": "sondhi",
}
_CORPORA = {
    "consumer_nih": {"nih_mplus_health_topics": "medlineplus", "nih_ghr": "ghr"},
    "pubmed": {"pmc_fulltext": "pmc_fulltext", "pmc_abstract": "pmc_abstract"},
    "reddit_like": dict.fromkeys(
        ("rhmd_reddit", "reddit_threads", "clef2017_askdocs", "forum_questiondoctor"), "forum"
    ),
}
MOST = 300
# Sentences of each text that nobody read.
OF_EACH = 3
# Passages, of which few were read and a larger model estimates the others' difficulty, and
# sentences, whose level it estimates.
UNREAD, SENTENCES = "unread", "unread_sentences"
# Kinds of readings that the sources of unread passages have under another name.
_KINDS_OF = {
    "consumer_nih": ("medlineplus", "genetics home reference"),
    "wikipedia_med": ("wikipedia medicine",),
    "pdq_pages": ("pdq patient", "pdq professional"),
    "technology": ("manual_programming", "own: source code, configuration, command lines"),
    "own: documentation of professional software": (
        "manual_programming",
        "own: technical manuals and standards",
    ),
    "own: shop page of a product": ("product_description_software",),
    "page wikipedia": ("wikipedia medicine",),
    "web documentation": ("manual_programming", "own: technical manuals and standards"),
    "web forum": ("forum_answer", "forum_question", "own: chat, forum posts and reviews"),
    "web product": ("product_description_software",),
    "own: spoken meeting": ("spoken_meeting",),
}
# The kinds of pages that the assessors of 2016 saw.
REFERENCE = ("sondhi", "schwarz")


@dataclass(frozen=True)
class Text:
    """One text, plain (a string) or a web page (bytes); `label` is turned to harder = higher."""

    set: str
    id: str
    content: str | bytes
    label: float = np.nan
    group: str = ""
    kind: str = ""
    understand: float = np.nan

    def document(self) -> Document:
        """What the package reads of it; raises `PageError`."""
        if isinstance(self.content, str):
            return document_of_text(self.content, self.id)
        return document_of_page(Page(self.id, "", self.content))


def path_of(data: Path, name: str) -> Path:
    """The file of a labelled set."""
    if name == READINGS:
        return data / "judged" / "passages.jsonl.gz"
    return data / "labelled" / f"{name}.jsonl.gz"


# The mean difficulty of the readings where so many of a hundred adults get the main message.
_MESSAGES = (
    (0, 3, 12, 25, 45, 65, 82, 91, 97, 100),
    (100, 97, 89, 80, 65, 48, 32, 20, 9, 0),
)


def message_of(understand: Floats) -> Floats:
    """How hard it is to get the message: the usual difficulty where that share gets it.

    >>> message_of(np.array([1, 0.25, 0])).tolist()
    [0.0, 80.0, 100.0]
    """
    shares, difficulties = _MESSAGES
    return np.interp(100 * understand, shares, difficulties)


def labelled(data: Path, name: str) -> list[Text]:
    """The texts of a labelled set, in the order of its file."""
    if name == READINGS:
        return readings(data, "passages")
    of = SETS[name]
    return [
        Text(
            name,
            row["id"],
            detokenised(row["text"]) if of.tokenised else row["text"],
            of.harder * float(row["label"]),
            str(row["group"]),
        )
        for row in records(path_of(data, name))
    ]


def readings(data: Path, file: str) -> list[Text]:
    """Texts that were read: ``passages`` to learn from, whole ``pages`` to judge with."""
    return [as_read(READINGS, row) for row in records(data / "judged" / f"{file}.jsonl.gz")]


def as_read(name: str, row: Mapping[str, Any]) -> Text:
    """A text of a set with what readings say of it."""
    label, share = float(row["difficulty"]), float(row["understand"]) / 100
    group = str(row.get("group", row["id"]))
    return Text(name, row["id"], row["text"], label, group, row["kind"], share)


def read_once() -> Iterator[Text]:
    """Texts of no other set that were read once: documentation, and texts written to be read."""
    for row in records(READ_ONCE_FILE):
        yield as_read(READ_ONCE, row)


def sentences_read(data: Path) -> Iterator[Text]:
    """Sentences that were read; those whose text is not ours to give are found in their sources."""
    rows = {row["id"]: row for row in records(READ_SENTENCES_FILE)}
    of_sources = {text.id: text.content for text in unread(data) if text.set == SENTENCES}
    for name, row in rows.items():
        yield as_read(READ_SENTENCES, {**row, "text": row["text"] or of_sources[name]})


def joined_sentences(table: Table, data: Path) -> Iterator[Text]:
    """Runs of sentences of CEFR-SP, so that a level is learned of longer texts too.

    Sentences of a run are of one fold (of seed 0), and no other set has a copy of them. The run has
    the group of its first; its name is all of theirs.
    """
    texts = {text.id: text for text in labelled(data, "cefr_sp_wiki")}
    own = table.sets == "cefr_sp_wiki"
    own &= ~np.isin(table.groups, table.groups[~own])
    fold, chance = folds_of(table.groups, FOLDS), np.random.default_rng(0)
    for number in np.tile(np.arange(FOLDS), _TIMES_JOINED).tolist():
        names = chance.permutation(table.ids[own & (fold == number)]).tolist()
        while names:
            size = int(chance.integers(_FEWEST_JOINED, _MOST_JOINED + 1))
            run, names = [texts[name] for name in names[:size]], names[size:]
            yield Text(
                JOINED,
                " ".join(text.id for text in run),
                " ".join(str(text.content) for text in run),
                float(np.mean([text.label for text in run])),
            )


def read_pages(data: Path) -> Iterator[Text]:
    """The beginnings of whole pages that were read, as the package reads them."""
    rows = {row["source_id"]: row for row in records(READ_PAGES_FILE)}
    texts = {row["id"]: row["text"] for row in records(path_of(data, "pdq_pages"))}
    for folder, archive in (("wcxb", "pages"), ("health_pages", "health_pages")):
        for member, content in members(data / "html" / folder / f"{archive}.tar.gz"):
            name = f"html/{folder}/{member}"
            name = name if name in rows else name.removesuffix(".html")
            if name in rows:
                page = parse_for(Page(name, "", content), "main")
                kept = (block.text for block in extract(page, "main") if block.kept)
                texts[name] = "\n\n".join(kept)
    for name, row in rows.items():
        text = "".join(re.findall(r"\s*\S+", texts[name])[:_FIRST])
        yield as_read(READ_PAGES, {**row, "id": name, "text": text})


_SENTENCE_END = re.compile(r'(?<=[.!?]) +(?=[A-Z"“(])')


def _windows(text: str, chance: random.Random) -> list[str]:
    """Runs of about 60 to 160 words of a text, with their lines as they are, in any order."""
    found, part, words, wanted = [], "", 0, chance.randint(60, 160)
    for line in text.split("\n"):
        *sentences, last = _SENTENCE_END.split(line) if len(line.split()) > 60 else [line]
        for piece, end in [*((each, " ") for each in sentences), (last, "\n")]:
            size = len(piece.split())
            if words and words + size > 1.3 * wanted:
                found.append(part.strip())
                part, words, wanted = "", 0, chance.randint(60, 160)
            part, words = f"{part}{piece}{end}", words + size
            if words >= wanted:
                found.append(part.strip())
                part, words, wanted = "", 0, chance.randint(60, 160)
    if words >= 42:
        found.append(part.strip())
    found = [each for each in found if 30 <= len(each.split()) <= 300]
    chance.shuffle(found)
    return found


def _sentences(text: str, chance: random.Random) -> list[str]:
    """Sentences of 7 to 60 words of a text, in any order."""
    every = [each for line in text.split("\n") for each in _SENTENCE_END.split(line)]
    found = [each for each in every if 7 <= len(each.split()) <= 60 and each[-1:] in '.?!"”)']
    chance.shuffle(found)
    return found


def unread(data: Path) -> Iterator[Text]:
    """Passages and sentences of texts that anyone may learn from; few of the passages were read.

    The open texts are cut into passages twice, at other places.
    """
    read = {row["id"]: row for row in records(OPEN_PASSAGES_FILE)}
    sources = (
        ("open_texts", data / "open_texts" / "texts.jsonl.gz", None, 6, 4),
        ("consumer_nih", data / "corpora" / "consumer_nih.jsonl.gz", 1000, 2, 0),
        ("wikipedia_med", data / "corpora" / "wikipedia_med.jsonl.gz", 700, 2, 0),
        ("pdq_pages", data / "labelled" / "pdq_pages.jsonl.gz", None, 2, 0),
    )
    for source, path, most, of_each, of_second_cut in sources:
        rows = list(records(path))
        is_open = source == "open_texts"
        if not is_open:
            rows.sort(key=lambda row: zlib.crc32(row["id"].encode()))
        for row in rows[:most]:
            group, kind = (row["group"], row["kind"]) if is_open else (row["id"], source)
            seed = zlib.crc32(row["id"].encode())
            for name, mark, parts_of, chance, most_parts in (
                (UNREAD, "", _windows, random.Random(seed), of_each),
                (UNREAD, "b", _windows, random.Random(seed + 1), of_second_cut),
                (SENTENCES, "s", _sentences, random.Random(seed), OF_EACH),
            ):
                for number, part in enumerate(parts_of(row["text"], chance)[:most_parts]):
                    text = Text(
                        name, f"{row['id']}-{mark}{number}", part, group=str(group), kind=kind
                    )
                    said = read.get(text.id)
                    yield as_read(name, {**said, "text": part}) if said else text


def left_out_with(kinds: NDArray[np.str_], left_out: Iterable[str]) -> Mask:
    """Which texts are of the kinds that are left out, under whatever name."""
    names = set(left_out)
    return np.isin(kinds, sorted(names)) | np.array(
        [bool(names & set(_KINDS_OF.get(kind, ()))) for kind in kinds.tolist()]
    )


def by_chance(text: Text) -> tuple[int, str]:
    """A key that sorts texts at random, the same on every machine."""
    return zlib.crc32(text.id.encode()), text.id


def web_pages(data: Path, kinds: Iterable[str] = tuple(_WEB.values())) -> Iterator[Text]:
    """The health pages of some kinds."""
    folder, wanted = data / "html" / "health_pages", frozenset(kinds)
    rows = (line.split("\t") for line in (folder / "pages.tsv").read_text("utf-8").splitlines()[1:])
    kind_of = {row[0]: _WEB[row[1]] for row in rows}
    for name, content in members(folder / "health_pages.tar.gz"):
        if kind_of.get(name) in wanted:
            yield Text(kind_of[name], name, content)


def pages(data: Path) -> Iterator[Text]:
    """Whole pages by kind: health pages, and of each source of the corpora the same `MOST`."""
    yield from web_pages(data)
    for name, kinds in _CORPORA.items():
        by_source: dict[str, list[Text]] = {source: [] for source in kinds}
        for row in corpus(data, name):
            if (source := row["source"]) in kinds:
                by_source[source].append(Text(kinds[source], row["id"], row["text"]))
        for texts in by_source.values():
            yield from sorted(texts, key=by_chance)[:MOST]


# -- text as people write it -----------------------------------------------------------------------

_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_BRACKET = re.compile("|".join(_BRACKETS))


def detokenised(text: str) -> str:
    """Tokens between blanks as text that people write.

    >>> detokenised("He said : `` It 's ( very ) good , is n't it ? ''")
    'He said: "It\\'s (very) good, isn\\'t it?"'
    """
    text = _BRACKET.sub(lambda found: _BRACKETS[found.group()], html.unescape(text))
    text = text.replace("@-@", "-").replace("``", '"').replace("''", '"')
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r" ([.,;:!?%)\]}]+)(?= |$)", r"\1", text)
    text = re.sub(r"([(\[{$£#]) ", r"\1", text)
    text = re.sub(r" (n't|'(?:s|m|d|re|ve|ll)|'(?=\s))(?!\w)", r"\1", text, flags=re.I)
    text = re.sub(r"(\w) - (\w)", r"\1-\2", text) if "–" not in text else text
    text = re.sub(r"(\d) / (\d)", r"\1/\2", text)
    parts = text.split('"')
    if len(parts) % 2:  # every first quotation mark opens, every second closes
        parts[1::2] = [part.strip() for part in parts[1::2]]
    return '"'.join(parts)


# -- texts that are nearly the same ----------------------------------------------------------------

_NOT_WORD = re.compile(r"[^a-z0-9]+")
_RUN, _MOST_SHARED = 5, 12


def _runs(text: str) -> NDArray[np.uint64]:
    """A number for each run of five words of a text."""
    words = _NOT_WORD.sub(" ", text.lower()).split()
    size = min(_RUN, max(1, len(words)))
    codes = np.array([zlib.crc32(word.encode()) for word in words], np.uint64)
    if not len(codes):
        return codes
    sums = np.zeros(len(codes) - size + 1, np.uint64)
    for place in range(size):
        sums = sums * np.uint64(1000003) + codes[place : len(codes) - size + 1 + place]
    return np.unique(sums)


def near_duplicates(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of texts of which the smaller has half of its runs of five words in the other.

    Runs that more than twelve texts share are set phrases, and do not count.

    >>> near_duplicates(["a b c d e f g h i j k", "A b c d e f g h i j, k", "x y z"])
    [(0, 1)]
    """
    runs = [_runs(text) for text in texts]
    sizes = np.array([len(found) for found in runs])
    codes, owners = np.concatenate(runs), np.repeat(np.arange(len(runs)), sizes)
    order = np.lexsort((owners, codes))
    codes, owners = codes[order], owners[order]
    starts = np.flatnonzero(np.append(True, codes[1:] != codes[:-1]))
    counts = np.diff(np.append(starts, len(codes)))
    pairs = [np.empty(0, np.int64)]
    for size in range(2, _MOST_SHARED + 1):
        first = starts[counts == size]
        for i in range(size):
            pairs += [owners[first + i] * len(runs) + owners[first + j] for j in range(i + 1, size)]
    keys, shared = np.unique(np.concatenate(pairs), return_counts=True)
    a, b = keys // len(runs), keys % len(runs)
    # Short sentences ("He died in 1837 in Paris.") are alike by chance unless they are the same.
    smaller, larger = np.minimum(sizes[a], sizes[b]), np.maximum(sizes[a], sizes[b])
    near = (2 * shared >= smaller) & ((smaller >= 6) | (shared == larger))
    return list(zip(a[near].tolist(), b[near].tolist(), strict=True))


def groups_of(texts: Sequence[Text]) -> Ints:
    """A number for each plain text; those of one group, or near-duplicates, have the same."""
    families = {name: of.family or name for name, of in SETS.items()}
    families |= dict.fromkeys([UNREAD, SENTENCES], READINGS)
    first: dict[tuple[str, str], int] = {}
    pairs = [
        (first.setdefault((families.get(text.set, text.set), text.group), place), place)
        for place, text in enumerate(texts)
    ]
    pairs += near_duplicates([str(text.content) for text in texts])
    size = (len(texts), len(texts))
    joined = coo_array((np.ones(len(pairs)), np.transpose(pairs)), size)
    return np.asarray(connected_components(joined, directed=False)[1], np.int64)


def folds_of(groups: Ints, folds: int, seed: int = 0) -> Ints:
    """The fold of each row by its group; rows of the group -1 are in no fold: -1."""
    found = np.full(len(groups), -1)
    found[groups >= 0] = dealt_out(groups[groups >= 0], folds, seed)
    return found


# -- passages --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Words:
    """The different words of passages: of passage ``i`` ``types[ids[starts[i]:starts[i + 1]]]``."""

    starts: Ints
    ids: Ints
    types: NDArray[np.str_]

    def joined(self, other: Self) -> Self:
        """Those of both, one behind the other."""
        return type(self)(
            np.append(self.starts, self.starts[-1] + other.starts[1:]),
            np.append(self.ids, len(self.types) + other.ids),
            np.append(self.types, other.types),
        )


def _words_of(batch: Batch, found: Passages) -> Iterator[list[str]]:
    """The different tokens with a letter of each passage, but for repeated sentences."""
    read = (batch.once(read_sentences)[:, -1] > 0) & (np.diff(batch.word_bounds) > 0)
    first = np.repeat(batch.first_sentences[:-1], np.diff(found.starts))
    types, ids, bounds = batch.token_types.strings, batch.token_ids, batch.token_bounds
    for start, end in (found.sentences + first[:, None]).tolist():
        own = (ids[bounds[each] : bounds[each + 1]] for each in range(start, end) if read[each])
        words = (types[number] for number in np.unique(np.concatenate(list(own))).tolist())
        yield [word for word in words if any(map(str.isalpha, word))]


@dataclass(frozen=True)
class Table:
    """Texts as passages. All but `passages` have a row for each text.

    `keys` are the groups as the files have them, `groups` those joined by near-duplicates;
    `plain` numbers the texts that are the same but for capitals; `formulas` has a column for each
    of `BASELINES`; `understand` is the share of adults who get the message, where it was read.
    `words` are those of the passages.
    """

    sets: NDArray[np.str_]
    ids: NDArray[np.str_]
    kinds: NDArray[np.str_]
    keys: NDArray[np.str_]
    labels: Floats
    understand: Floats
    groups: Ints
    plain: Ints
    formulas: Floats
    passages: Passages
    words: Words

    def __len__(self) -> int:
        return len(self.sets)

    @cached_property
    def text(self) -> Ints:
        """The row of the text of each passage."""
        return np.repeat(np.arange(len(self)), np.diff(self.passages.starts))

    @classmethod
    def of(cls, texts: Iterable[Text], *, joined: bool = False) -> Self:
        """The passages of texts. `joined` joins groups; otherwise each text is one.

        A page that cannot be read is named and left out.
        """
        read: list[Text] = []

        def documents() -> Iterator[Document]:
            for text in texts:
                try:
                    document = text.document()
                except PageError as error:
                    print(f"{text.id}: left out, {error}")
                    continue
                read.append(text)
                yield document

        found, formulas, ids, sizes = [], [], [], [0]
        types: dict[str, int] = {}
        for batch in batches(documents()):
            found.append(passages(batch))
            formulas.append(features_of(batch, BASELINES).values)
            for words in _words_of(batch, found[-1]):
                ids += [types.setdefault(word, len(types)) for word in words]
                sizes.append(len(words))
        return cls(
            np.array([text.set for text in read]),
            np.array([text.id for text in read]),
            np.array([text.kind for text in read]),
            np.array([text.group for text in read]),
            np.array([text.label for text in read]),
            np.array([text.understand for text in read]),
            groups_of(read) if joined else np.arange(len(read)),
            np.array([zlib.crc32(text.content.lower().encode()) for text in read])
            if joined
            else np.arange(len(read)),
            np.concatenate(formulas),
            _joined_passages(found),
            Words(np.cumsum(sizes), np.array(ids), np.array(list(types), f"U{_MOST_LETTERS}")),
        )

    @cached_property
    def word_features(self) -> csr_array:
        """What `ByWords` reads: means over the different words of each passage.

        Of each word that has a vector, by its rank, and of each run of letters behind them.
        """
        types = self.words.types.tolist()
        rank, runs = known_of(types).ranks, runs_of_letters(types)
        known, vectors = np.flatnonzero(rank >= 0), len(words_and_vectors()[1])
        of_types = csr_array(
            (
                np.append(np.ones(len(known)), runs.values),
                (np.append(known, runs.words), np.append(rank[known], vectors + runs.numbers)),
            ),
            shape=(len(types), vectors + RUNS),
        )
        sizes = np.diff(self.words.starts)
        stands = csr_array(
            (np.repeat(1 / np.maximum(sizes, 1), sizes), self.words.ids, self.words.starts),
            shape=(len(sizes), len(types)),
        )
        return stands @ of_types

    def and_others(self, other: Self, made_of: Mapping[str, str]) -> Self:
        """The rows of both.

        Those of the other are of the group -1, which is in no fold, but for what was `made_of` a
        row of this table: by ids.
        """
        groups = dict(zip(self.ids.tolist(), self.groups.tolist(), strict=True))
        others = [groups.get(made_of.get(each, ""), -1) for each in other.ids.tolist()]
        other = replace(other, groups=np.array(others), plain=other.plain + self.plain.max() + 1)
        rows = {
            each.name: np.concatenate([getattr(self, each.name), getattr(other, each.name)])
            for each in fields(self)
            if each.name not in _PARTS
        }
        found = _joined_passages([self.passages, other.passages])
        return type(self)(**rows, passages=found, words=self.words.joined(other.words))

    def save(self, path: Path) -> None:
        """Keep the table in a file."""
        arrays = {each.name: getattr(self, each.name) for each in fields(self)}
        for name, kind in _PARTS.items():
            part = arrays.pop(name)
            arrays |= {f"{name}.{each.name}": getattr(part, each.name) for each in fields(kind)}
        np.savez(path, **arrays)

    @classmethod
    def load(cls, path: Path) -> Self:
        """The table that `save` kept."""
        with np.load(path, allow_pickle=False) as arrays:
            own = [arrays[each.name] for each in fields(cls) if each.name not in _PARTS]
            parts = {
                name: kind(*(arrays[f"{name}.{each.name}"] for each in fields(kind)))
                for name, kind in _PARTS.items()
            }
            return cls(*own, **parts)


_PARTS: Mapping[str, Any] = {"passages": Passages, "words": Words}
_MOST_LETTERS = 40  # no word that has a vector is longer, and runs are of its first thirty


def _joined_passages(parts: Sequence[Passages]) -> Passages:
    starts = np.append(0, np.cumsum(np.concatenate([np.diff(part.starts) for part in parts])))
    rest = {
        each.name: np.concatenate([getattr(part, each.name) for part in parts])
        for each in fields(Passages)
        if each.name != "starts"
    }
    return Passages(**(rest | {"starts": starts, "columns": rest["columns"].astype(np.float32)}))


def cached(folder: Path | None, name: str, make: Callable[[], Table]) -> Table:
    """The table of that name in a folder; made, and kept there, if it is not. Delete old ones."""
    path = folder / f"{name}.npz" if folder else None
    if path and path.exists():
        return Table.load(path)
    table = make()
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        table.save(path)
    return table


def training_table(data: Path, cache: Path | None) -> Table:
    """The passages of all labelled sets, of open texts, of texts that were read, of joined ones."""

    def texts() -> Iterator[Text]:
        for name in SETS:
            yield from labelled(data, name)
        yield from unread(data)

    table = cached(cache, "training", lambda: Table.of(texts(), joined=True))
    made_of = {row["id"]: row["of"] for row in records(READ_ONCE_FILE) if "of" in row}
    table = table.and_others(cached(cache, READ_ONCE, lambda: Table.of(read_once())), made_of)
    own = {row["id"]: row["of"] for row in records(READ_SENTENCES_FILE)}
    read = cached(cache, READ_SENTENCES, lambda: Table.of(sentences_read(data)))
    table = table.and_others(read, own)
    joined = cached(cache, JOINED, lambda: Table.of(joined_sentences(table, data)))
    table = table.and_others(joined, {each: each.split()[0] for each in joined.ids.tolist()})
    whole = cached(cache, READ_PAGES, lambda: Table.of(read_pages(data)))
    # One holds a passage that was read; those of PDQ are of a set that is judged.
    parts = {row["source_id"]: row.get("of", row["source_id"]) for row in records(READ_PAGES_FILE)}
    return table.and_others(whole, parts)


def sha256(path: Path) -> str:
    """The checksum of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
