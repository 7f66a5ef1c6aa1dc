"""Compute rows of documents other than scores: features, counted words, or extracted texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from understandability._version import __version__
from understandability.feature.batch import Batch, OtherTagger
from understandability.feature.counted import counted_words
from understandability.feature.table import features_of
from understandability.hooks import load
from understandability.model.bundle import load_background_models
from understandability.scoring import Settings, names_of
from understandability.text.document import Document
from understandability.text.sentences import fields

if TYPE_CHECKING:
    import pyarrow as pa

# Names of taggers, each with the hook of its class, if it is not ours.
TAGGERS = {"built-in": "", "nltk": "study.nltk_backend:NltkTagger"}


@dataclass(frozen=True)
class FeatureRows:
    """Compute rows of features: docno, path, URL and the chosen `columns`.

    `bundles` are background models whose estimates are further columns. `tagger` is one of
    `TAGGERS`.

    >>> from understandability.text.analysis import document_of_text
    >>> maker = FeatureRows(Settings(), ("words", "syllables"))
    >>> maker.rows([document_of_text("Drink water.")]).to_pylist()
    [{'docno': 'text', 'path': '', 'url': None, 'words': 2.0, 'syllables': 3.0}]
    """

    settings: Settings
    columns: tuple[str, ...]
    bundles: tuple[str, ...] = ()
    tagger: str = "built-in"

    def __reduce__(self) -> tuple[type[FeatureRows], tuple[Any, ...]]:
        """Pickle the arguments only, so that another process loads the models itself."""
        return FeatureRows, (self.settings, self.columns, self.bundles, self.tagger)

    @cached_property
    def _models(self) -> Any:
        return load_background_models(self.bundles)

    @cached_property
    def _tagger(self) -> OtherTagger | None:
        hook = TAGGERS[self.tagger]
        return load(hook)() if hook else None

    @property
    def described(self) -> dict[str, Any]:
        """The settings as a dictionary, to be stored with the rows."""
        return {
            **_extraction(self.settings),
            "columns": list(self.columns),
            "tagger": self.tagger,
            "bundles": list(self.bundles),
        }

    @property
    def schema(self) -> pa.Schema:
        """The columns of the rows: docno, path, URL, and a number per feature."""
        import pyarrow as pa

        texts = dict.fromkeys(("docno", "path", "url"), pa.string())
        return pa.schema({**texts, **dict.fromkeys(self.columns, pa.float64())})

    def rows(self, documents: Sequence[Document]) -> pa.Table:
        """Compute one row for each document."""
        if not documents:
            return self.schema.empty_table()
        import pyarrow as pa

        table = features_of(Batch(documents, self._tagger), self.columns, self._models)
        values = dict(zip(table.names, table.values.T, strict=True))
        return pa.table({**names_of(documents), **values}, schema=self.schema)


@dataclass(frozen=True)
class WordRows:
    """Compute rows of the words that some features count: docno, feature, word, count.

    >>> from understandability.text.analysis import document_of_text
    >>> rows = WordRows(Settings(), ("polysyllables",)).rows([document_of_text("A pulmonary ill.")])
    >>> rows.to_pylist()
    [{'docno': 'text', 'feature': 'polysyllables', 'word': 'pulmonary', 'count': 1}]
    """

    settings: Settings
    columns: tuple[str, ...]

    @property
    def described(self) -> dict[str, Any]:
        """The settings as a dictionary, to be stored with the rows."""
        return {**_extraction(self.settings), "columns": list(self.columns)}

    @property
    def schema(self) -> pa.Schema:
        """The columns of the rows: docno, feature, word, count."""
        import pyarrow as pa

        texts = dict.fromkeys(("docno", "feature", "word"), pa.string())
        return pa.schema({**texts, "count": pa.int64()})

    def rows(self, documents: Sequence[Document]) -> pa.Table:
        """Compute one row for each pair of feature and word that occurs in a document."""
        import pyarrow as pa

        counted = counted_words(Batch(documents), self.columns)
        return pa.Table.from_pylist([asdict(row) for row in counted], self.schema)


@dataclass(frozen=True)
class TextRows:
    r"""Compute rows of extracted text; with `explain`, of every block, kept or dropped, as well.

    >>> from understandability.text.analysis import document_of_text
    >>> TextRows(Settings()).rows([document_of_text("Rest.")])["text"].to_pylist()
    ['Rest.\n']
    """

    settings: Settings
    explain: bool = False

    @property
    def described(self) -> dict[str, Any]:
        """The settings as a dictionary, to be stored with the rows."""
        return _extraction(self.settings)

    @property
    def schema(self) -> pa.Schema:
        """The columns of the rows: docno, path, URL, text, and perhaps a list of blocks."""
        import pyarrow as pa

        names = ["docno", "path", "url", "title", "language", "encoding", "flags", "text"]
        schema = pa.schema([(name, pa.string()) for name in names])
        if not self.explain:
            return schema
        texts = [(name, pa.string()) for name in ("text", "tag")]
        block = pa.struct([*texts, ("kept", pa.bool_()), ("reason", pa.string())])
        return schema.append(pa.field("blocks", pa.list_(block)))

    def rows(self, documents: Sequence[Document]) -> pa.Table:
        """Compute one row for each document."""
        import pyarrow as pa

        rows = [
            {
                "docno": document.docno,
                "path": document.path,
                "url": document.url,
                "title": document.title,
                "language": document.language,
                "encoding": document.encoding,
                "flags": " ".join(document.flags),
                "text": text_of(document),
                "blocks": [block._asdict() for block in document.blocks] if self.explain else None,
            }
            for document in documents
        ]
        return pa.Table.from_pylist(rows, self.schema)


def text_of(document: Document) -> str:
    """Return the extracted text of a document, one line per block."""
    return "".join(f"{field}\n" for field in fields(document.blocks, document.sentence_ends))


def _extraction(settings: Settings) -> dict[str, Any]:
    """Return the settings that extracted text depends on, and the version of the package."""
    return {
        "understandability": __version__,
        "extractor": settings.extractor,
        "sentence_ends": settings.sentence_ends,
        "engine": settings.engine,
    }
