"""Read the texts that page models are trained and evaluated on, and cut them into passages.

`SETS` lists the labelled sets with their licences. `labelled` and `pages` return texts; a `Table`
holds their passages. Line breaks are kept, because a line break ends a block of text. Web pages are
read by the extractor of the package, like the pages of users.
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
    """A file of ``labelled``: the meaning of its labels, and its licence.

    `harder` is 1 if a higher label is harder, or -1. Sets of the same `family` share texts, and so
    groups. Labels `by_origin` are not human judgements: they are 1 for the text of a group that
    was written for experts, and 0 for the one written for the public.
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
OWN = "own:"  # the prefix of kinds whose texts were written for the set
# Texts with a single reading. They are used for training only, not for evaluation.
READ_ONCE = "read_once"
READ_ONCE_FILE = ROOT / "readings" / "once.jsonl.gz"
# Passages and pages of 162 more kinds, written for this purpose: trades, law, finance, sport, verse
# and so on. Left out with their kind, they show the errors on texts of new kinds.
READ_KINDS = "read_kinds"
READ_KINDS_FILE = READ_ONCE_FILE.with_name("kinds.jsonl.gz")
# Passages of `unread` that have a single reading after all.
OPEN_PASSAGES_FILE = READ_ONCE_FILE.with_name("open_passages.jsonl.gz")

# Readings of one to three sentences, mostly of texts in `unread`, and mostly single readings.
READ_SENTENCES = "read_sentences"
READ_SENTENCES_FILE = READ_ONCE_FILE.with_name("sentences.jsonl.gz")

# Joined sentences of CEFR-SP, with the mean of their levels.
JOINED = "cefr_sp_joined"
_FEWEST_JOINED, _MOST_JOINED, _TIMES_JOINED = 2, 6, 2
FOLDS = 5

# Readings of whole pages; the texts cannot be distributed.
READ_PAGES = "read_pages"
READ_PAGES_FILE = READ_ONCE_FILE.with_name("pages.jsonl")
_FIRST = 550  # readings are of this many words from the start of a page

# Kinds of pages by source. At most `MOST` texts of each source of a corpus are used.
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
# The number of sentences per text in the set `SENTENCES`.
OF_EACH = 3
# Passages, few of them with a reading, whose difficulty is estimated by `teacher`; and sentences,
# whose level it estimates.
UNREAD, SENTENCES = "unread", "unread_sentences"
# Kinds of unread passages -> the same kinds as named in readings.
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
# The kinds of pages that the assessors of CLEF eHealth 2016 judged.
REFERENCE = ("sondhi", "schwarz")


@dataclass(frozen=True)
class Text:
    """A plain text (a string) or a web page (bytes). A higher `label` is harder."""

    set: str
    id: str
    content: str | bytes
    label: float = np.nan
    group: str = ""
    kind: str = ""
    understand: float = np.nan

    def document(self) -> Document:
        """Read the text with the package; raises `PageError`."""
        if isinstance(self.content, str):
            return document_of_text(self.content, self.id)
        return document_of_page(Page(self.id, "", self.content))


def path_of(data: Path, name: str) -> Path:
    """Return the path of a labelled set."""
    if name == READINGS:
        return data / "judged" / "passages.jsonl.gz"
    return data / "labelled" / f"{name}.jsonl.gz"


# Percentages of adults who understand the main message, and the mean difficulty of such readings.
_MESSAGES = (
    (0, 3, 12, 25, 45, 65, 82, 91, 97, 100),
    (100, 97, 89, 80, 65, 48, 32, 20, 9, 0),
)


def message_of(understand: Floats) -> Floats:
    """Convert shares of adults who understand the message to the difficulty of the message, 0..100.

    It is the mean difficulty of readings with that share.

    >>> message_of(np.array([1, 0.25, 0])).tolist()
    [0.0, 80.0, 100.0]
    """
    shares, difficulties = _MESSAGES
    return np.interp(100 * understand, shares, difficulties)


def labelled(data: Path, name: str) -> list[Text]:
    """Return the texts of a labelled set, in the order of its file."""
    if name == READINGS:
        return readings(data, "passages")
    labelled_set = SETS[name]
    return [
        Text(
            name,
            row["id"],
            detokenised(row["text"]) if labelled_set.tokenised else row["text"],
            labelled_set.harder * float(row["label"]),
            str(row["group"]),
        )
        for row in records(path_of(data, name))
    ]


def readings(data: Path, file: str) -> list[Text]:
    """Return texts with readings: ``passages`` for training, or ``pages`` for evaluation."""
    return [as_read(READINGS, row) for row in records(data / "judged" / f"{file}.jsonl.gz")]


def as_read(name: str, row: Mapping[str, Any]) -> Text:
    """Return a text of a set with the labels of its reading."""
    label, share = float(row["difficulty"]), float(row["understand"]) / 100
    group = str(row.get("group", row["id"]))
    return Text(name, row["id"], row["text"], label, group, row["kind"], share)


def read_once() -> Iterator[Text]:
    """Yield texts with a single reading: documentation, and texts written for the readings."""
    for row in records(READ_ONCE_FILE):
        yield as_read(READ_ONCE, row)


def read_kinds() -> Iterator[Text]:
    """Yield the passages and pages of the further kinds."""
    for row in records(READ_KINDS_FILE):
        yield as_read(READ_KINDS, row)


def sentences_read(data: Path) -> Iterator[Text]:
    """Yield sentences with readings.

    Texts that cannot be distributed are not in the file; they are looked up in their sources.
    """
    rows = {row["id"]: row for row in records(READ_SENTENCES_FILE)}
    sources = {text.id: text.content for text in unread(data) if text.set == SENTENCES}
    for name, row in rows.items():
        yield as_read(READ_SENTENCES, {**row, "text": row["text"] or sources[name]})


def joined_sentences(table: Table, data: Path) -> Iterator[Text]:
    """Yield runs of sentences of CEFR-SP, so that the level is learned for longer texts too.

    The sentences of a run are from the same fold (of seed 0), and have no copy in another set. The
    id of a run is the ids of its sentences, separated by spaces. A run is in the group of its first
    sentence.
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
    """Yield the beginnings of pages with readings, as extracted by the package."""
    rows = {row["source_id"]: row for row in records(READ_PAGES_FILE)}
    texts = {row["id"]: row["text"] for row in records(path_of(data, "pdq_pages"))}
    for folder, archive in (("wcxb", "pages"), ("health_pages", "health_pages")):
        for member, content in members(data / "html" / folder / f"{archive}.tar.gz"):
            name = f"html/{folder}/{member}"
            name = name if name in rows else name.removesuffix(".html")
            if name in rows:
                page = parse_for(Page(name, "", content), "main")
                paragraphs = (block.text for block in extract(page, "main") if block.kept)
                texts[name] = "\n\n".join(paragraphs)
    for name, row in rows.items():
        text = "".join(re.findall(r"\s*\S+", texts[name])[:_FIRST])
        yield as_read(READ_PAGES, {**row, "id": name, "text": text})


_SENTENCE_END = re.compile(r'(?<=[.!?]) +(?=[A-Z"“(])')


def _windows(text: str, chance: random.Random) -> list[str]:
    """Cut a text into passages of about 60 to 160 words, keep its lines, and shuffle them."""
    passages, part, words, target = [], "", 0, chance.randint(60, 160)
    for line in text.split("\n"):
        *sentences, last = _SENTENCE_END.split(line) if len(line.split()) > 60 else [line]
        for piece, end in [*((sentence, " ") for sentence in sentences), (last, "\n")]:
            size = len(piece.split())
            if words and words + size > 1.3 * target:
                passages.append(part.strip())
                part, words, target = "", 0, chance.randint(60, 160)
            part, words = f"{part}{piece}{end}", words + size
            if words >= target:
                passages.append(part.strip())
                part, words, target = "", 0, chance.randint(60, 160)
    if words >= 42:
        passages.append(part.strip())
    passages = [passage for passage in passages if 30 <= len(passage.split()) <= 300]
    chance.shuffle(passages)
    return passages


def _sentences(text: str, chance: random.Random) -> list[str]:
    """Return the sentences of 7 to 60 words of a text, shuffled."""
    sentences = [
        sentence
        for line in text.split("\n")
        for sentence in _SENTENCE_END.split(line)
        if 7 <= len(sentence.split()) <= 60 and sentence[-1:] in '.?!"”)'
    ]
    chance.shuffle(sentences)
    return sentences


def unread(data: Path) -> Iterator[Text]:
    """Yield passages and sentences of openly licensed texts; few of the passages have a reading.

    The texts of ``open_texts`` are cut into passages twice, at different points.
    """
    read = {row["id"]: row for row in records(OPEN_PASSAGES_FILE)}
    sources = (
        ("open_texts", data / "open_texts" / "texts.jsonl.gz", None, 6, 4),
        ("consumer_nih", data / "corpora" / "consumer_nih.jsonl.gz", 1000, 2, 0),
        ("wikipedia_med", data / "corpora" / "wikipedia_med.jsonl.gz", 700, 2, 0),
        ("pdq_pages", data / "labelled" / "pdq_pages.jsonl.gz", None, 2, 0),
    )
    for source, path, most, most_passages, most_of_second_cut in sources:
        rows = list(records(path))
        is_open = source == "open_texts"
        if not is_open:
            rows.sort(key=lambda row: zlib.crc32(row["id"].encode()))
        for row in rows[:most]:
            group, text_kind = (row["group"], row["kind"]) if is_open else (row["id"], source)
            seed = zlib.crc32(row["id"].encode())
            for name, mark, parts_of, chance, most_parts in (
                (UNREAD, "", _windows, random.Random(seed), most_passages),
                (UNREAD, "b", _windows, random.Random(seed + 1), most_of_second_cut),
                (SENTENCES, "s", _sentences, random.Random(seed), OF_EACH),
            ):
                for number, part in enumerate(parts_of(row["text"], chance)[:most_parts]):
                    text = Text(
                        name, f"{row['id']}-{mark}{number}", part, group=str(group), kind=text_kind
                    )
                    reading = read.get(text.id)
                    yield as_read(name, {**reading, "text": part}) if reading else text


def left_out_with(kinds: NDArray[np.str_], left_out: Iterable[str]) -> Mask:
    """Return a mask of the texts whose kind, under any of its names, is held out."""
    names = set(left_out)
    return np.isin(kinds, sorted(names)) | np.array(
        [bool(names & set(_KINDS_OF.get(text_kind, ()))) for text_kind in kinds.tolist()]
    )


def by_chance(text: Text) -> tuple[int, str]:
    """A sort key that shuffles texts in the same way on every machine."""
    return zlib.crc32(text.id.encode()), text.id


def web_pages(data: Path, wanted: Iterable[str] = tuple(_WEB.values())) -> Iterator[Text]:
    """Yield the health pages of some kinds."""
    folder, chosen = data / "html" / "health_pages", frozenset(wanted)
    rows = (line.split("\t") for line in (folder / "pages.tsv").read_text("utf-8").splitlines()[1:])
    kind_of = {row[0]: _WEB[row[1]] for row in rows}
    for name, content in members(folder / "health_pages.tar.gz"):
        if kind_of.get(name) in chosen:
            yield Text(kind_of[name], name, content)


def pages(data: Path) -> Iterator[Text]:
    """Yield whole pages: health pages, and at most `MOST` texts of each source of the corpora."""
    yield from web_pages(data)
    for name, kind_of in _CORPORA.items():
        by_source: dict[str, list[Text]] = {source: [] for source in kind_of}
        for row in corpus(data, name):
            if (source := row["source"]) in kind_of:
                by_source[source].append(Text(kind_of[source], row["id"], row["text"]))
        for texts in by_source.values():
            yield from sorted(texts, key=by_chance)[:MOST]


# -- detokenising ----------------------------------------------------------------------------------

_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_BRACKET = re.compile("|".join(_BRACKETS))


def detokenised(text: str) -> str:
    """Restore ordinary text from tokens separated by spaces.

    >>> detokenised("He said : `` It 's ( very ) good , is n't it ? ''")
    'He said: "It\\'s (very) good, isn\\'t it?"'
    """
    text = _BRACKET.sub(lambda match: _BRACKETS[match.group()], html.unescape(text))
    text = text.replace("@-@", "-").replace("``", '"').replace("''", '"')
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r" ([.,;:!?%)\]}]+)(?= |$)", r"\1", text)
    text = re.sub(r"([(\[{$£#]) ", r"\1", text)
    text = re.sub(r" (n't|'(?:s|m|d|re|ve|ll)|'(?=\s))(?!\w)", r"\1", text, flags=re.I)
    text = re.sub(r"(\w) - (\w)", r"\1-\2", text) if "–" not in text else text
    text = re.sub(r"(\d) / (\d)", r"\1/\2", text)
    parts = text.split('"')
    if len(parts) % 2:  # quotation marks open and close by turns
        parts[1::2] = [part.strip() for part in parts[1::2]]
    return '"'.join(parts)


# -- near-duplicates -------------------------------------------------------------------------------

_NOT_WORD = re.compile(r"[^a-z0-9]+")
_RUN, _MOST_SHARED = 5, 12


def _runs(text: str) -> NDArray[np.uint64]:
    """Return the distinct hashes of all runs of five words of a text."""
    words = _NOT_WORD.sub(" ", text.lower()).split()
    size = min(_RUN, max(1, len(words)))
    codes = np.array([zlib.crc32(word.encode()) for word in words], np.uint64)
    if not len(codes):
        return codes
    sums = np.zeros(len(codes) - size + 1, np.uint64)
    for offset in range(size):
        sums = sums * np.uint64(1000003) + codes[offset : len(codes) - size + 1 + offset]
    return np.unique(sums)


def near_duplicates(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Return pairs of texts that share at least half of the smaller text's runs of five words.

    Runs that occur in more than twelve texts are set phrases, and do not count.

    >>> near_duplicates(["a b c d e f g h i j k", "A b c d e f g h i j, k", "x y z"])
    [(0, 1)]
    """
    runs = [_runs(text) for text in texts]
    sizes = np.array([len(codes) for codes in runs])
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
    # Short sentences ("He died in 1837 in Paris.") share half of their runs by chance, so they
    # must be equal.
    smaller, larger = np.minimum(sizes[a], sizes[b]), np.maximum(sizes[a], sizes[b])
    near = (2 * shared >= smaller) & ((smaller >= 6) | (shared == larger))
    return list(zip(a[near].tolist(), b[near].tolist(), strict=True))


def groups_of(texts: Sequence[Text]) -> Ints:
    """Number the groups of plain texts; groups that share near-duplicates are merged."""
    families = {name: labelled_set.family or name for name, labelled_set in SETS.items()}
    families |= dict.fromkeys([UNREAD, SENTENCES], READINGS)
    first: dict[tuple[str, str], int] = {}
    pairs = [
        (first.setdefault((families.get(text.set, text.set), text.group), index), index)
        for index, text in enumerate(texts)
    ]
    pairs += near_duplicates([str(text.content) for text in texts])
    size = (len(texts), len(texts))
    joined = coo_array((np.ones(len(pairs)), np.transpose(pairs)), size)
    return np.asarray(connected_components(joined, directed=False)[1], np.int64)


def folds_of(groups: Ints, folds: int, seed: int = 0) -> Ints:
    """Return the fold of each row, by its group; the group -1 has the fold -1."""
    fold = np.full(len(groups), -1)
    fold[groups >= 0] = dealt_out(groups[groups >= 0], folds, seed)
    return fold


# -- passages --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Words:
    """The distinct words of passages.

    Passage ``i`` has the words ``types[ids[starts[i]:starts[i + 1]]]``.
    """

    starts: Ints
    ids: Ints
    types: NDArray[np.str_]

    def joined(self, other: Self) -> Self:
        """Concatenate the words of both."""
        return type(self)(
            np.append(self.starts, self.starts[-1] + other.starts[1:]),
            np.append(self.ids, len(self.types) + other.ids),
            np.append(self.types, other.types),
        )


def _words_of(batch: Batch, passages: Passages) -> Iterator[list[str]]:
    """Yield the distinct tokens with a letter of each passage; repeated sentences do not count."""
    read = (batch.once(read_sentences)[:, -1] > 0) & (np.diff(batch.word_bounds) > 0)
    first = np.repeat(batch.first_sentences[:-1], np.diff(passages.starts))
    types, ids, bounds = batch.token_types.strings, batch.token_ids, batch.token_bounds
    for start, end in (passages.sentences + first[:, None]).tolist():
        own = (
            ids[bounds[number] : bounds[number + 1]] for number in range(start, end) if read[number]
        )
        words = (types[id_] for id_ in np.unique(np.concatenate(list(own))).tolist())
        yield [word for word in words if any(map(str.isalpha, word))]


@dataclass(frozen=True)
class Table:
    """Texts and their passages. All arrays but `passages` and `words` have a row per text.

    `keys` are the groups as named in the files, `groups` the numbers of groups after those with
    near-duplicates were merged. `plain` is equal for texts that differ only in capitals. `formulas`
    has a column per formula in `BASELINES`. `understand` is the share of adults who understand the
    message, by readings. `words` are the words of the passages.
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
        """The index of the text of each passage."""
        return np.repeat(np.arange(len(self)), np.diff(self.passages.starts))

    @classmethod
    def of(cls, texts: Iterable[Text], *, joined: bool = False) -> Self:
        """Cut texts into passages.

        With `joined`, groups with near-duplicates are merged; otherwise each text is a group of its
        own. Pages that cannot be read are printed and dropped.
        """
        read: list[Text] = []

        def documents() -> Iterator[Document]:
            for text in texts:
                try:
                    document = text.document()
                except PageError as error:
                    print(f"{text.id}: dropped, {error}")
                    continue
                read.append(text)
                yield document

        parts, formulas, ids, sizes = [], [], [], [0]
        types: dict[str, int] = {}
        for batch in batches(documents()):
            parts.append(passages(batch))
            formulas.append(features_of(batch, BASELINES).values)
            for words in _words_of(batch, parts[-1]):
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
            _joined_passages(parts),
            Words(np.cumsum(sizes), np.array(ids), np.array(list(types), f"U{_MOST_LETTERS}")),
        )

    @cached_property
    def word_features(self) -> csr_array:
        """The inputs of `ByWords`: means over the distinct words of each passage.

        The first columns are the words that have a vector, by rank; the others are runs of letters.
        """
        types = self.words.types.tolist()
        rank, runs = known_of(types).ranks, runs_of_letters(types)
        ranked, vectors = np.flatnonzero(rank >= 0), len(words_and_vectors()[1])
        type_features = csr_array(
            (
                np.append(np.ones(len(ranked)), runs.values),
                (np.append(ranked, runs.words), np.append(rank[ranked], vectors + runs.numbers)),
            ),
            shape=(len(types), vectors + RUNS),
        )
        sizes = np.diff(self.words.starts)
        word_shares = csr_array(
            (np.repeat(1 / np.maximum(sizes, 1), sizes), self.words.ids, self.words.starts),
            shape=(len(sizes), len(types)),
        )
        return word_shares @ type_features

    def and_others(self, other: Self, made_of: Mapping[str, str]) -> Self:
        """Append the rows of another table.

        `made_of` maps the id of a row in the other table to the id of the row in this table that it
        was derived from; it joins that row's group. Other rows get the group -1, which is in no
        fold.
        """
        groups = dict(zip(self.ids.tolist(), self.groups.tolist(), strict=True))
        others = [groups.get(made_of.get(id_, ""), -1) for id_ in other.ids.tolist()]
        other = replace(other, groups=np.array(others), plain=other.plain + self.plain.max() + 1)
        names = [field.name for field in fields(self) if field.name not in _PARTS]
        rows = {name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in names}
        both = _joined_passages([self.passages, other.passages])
        return type(self)(**rows, passages=both, words=self.words.joined(other.words))

    def save(self, path: Path) -> None:
        """Write the table to a file."""
        arrays = {field.name: getattr(self, field.name) for field in fields(self)}
        for name, type_ in _PARTS.items():
            part = arrays.pop(name)
            arrays |= {f"{name}.{field.name}": getattr(part, field.name) for field in fields(type_)}
        np.savez(path, **arrays)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a table that `save` wrote."""
        with np.load(path, allow_pickle=False) as arrays:
            own = [arrays[field.name] for field in fields(cls) if field.name not in _PARTS]
            parts = {
                name: type_(*(arrays[f"{name}.{field.name}"] for field in fields(type_)))
                for name, type_ in _PARTS.items()
            }
            return cls(*own, **parts)


_PARTS: Mapping[str, Any] = {"passages": Passages, "words": Words}
_MOST_LETTERS = 40  # no word with a vector is longer, and runs are of the first thirty letters


def _joined_passages(parts: Sequence[Passages]) -> Passages:
    starts = np.append(0, np.cumsum(np.concatenate([np.diff(part.starts) for part in parts])))
    rest = {
        field.name: np.concatenate([getattr(part, field.name) for part in parts])
        for field in fields(Passages)
        if field.name != "starts"
    }
    return Passages(**(rest | {"starts": starts, "columns": rest["columns"].astype(np.float32)}))


def cached(folder: Path | None, name: str, make: Callable[[], Table]) -> Table:
    """Load a table from a cache folder; compute it and save it if it is missing.

    Delete outdated files yourself.
    """
    path = folder / f"{name}.npz" if folder else None
    if path and path.exists():
        return Table.load(path)
    table = make()
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        table.save(path)
    return table


def training_table(data: Path, cache: Path | None) -> Table:
    """Return labelled sets, open texts, texts with readings, and joined sentences as passages."""

    def texts() -> Iterator[Text]:
        for name in SETS:
            yield from labelled(data, name)
        yield from unread(data)

    table = cached(cache, "training", lambda: Table.of(texts(), joined=True))
    made_of = {row["id"]: row["of"] for row in records(READ_ONCE_FILE) if "of" in row}
    table = table.and_others(cached(cache, READ_ONCE, lambda: Table.of(read_once())), made_of)
    table = table.and_others(cached(cache, READ_KINDS, lambda: Table.of(read_kinds())), {})
    own = {row["id"]: row["of"] for row in records(READ_SENTENCES_FILE)}
    read = cached(cache, READ_SENTENCES, lambda: Table.of(sentences_read(data)))
    table = table.and_others(read, own)
    joined = cached(cache, JOINED, lambda: Table.of(joined_sentences(table, data)))
    table = table.and_others(joined, {id_: id_.split()[0] for id_ in joined.ids.tolist()})
    whole = cached(cache, READ_PAGES, lambda: Table.of(read_pages(data)))
    # One page contains a passage with a reading; pages of PDQ are texts of a labelled set.
    parts = {row["source_id"]: row.get("of", row["source_id"]) for row in records(READ_PAGES_FILE)}
    return table.and_others(whole, parts)


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
