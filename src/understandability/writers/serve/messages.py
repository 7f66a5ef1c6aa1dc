"""Requests and replies; the OpenAPI description is generated from these models."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Chance = Annotated[float, Field(ge=0, le=1)]


class _Strict(BaseModel):
    """A message that rejects unknown fields, which are most likely misspelled.

    It also rejects values of the wrong type, such as true for a number. Exactly one of the fields
    in `one_of` must be present, and not null.
    """

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, strict=True)
    one_of: ClassVar[tuple[str, ...]] = ()

    @model_validator(mode="before")
    @classmethod
    def _known_fields(cls, message: Any) -> Any:
        """Reject unknown fields with a message that lists the valid ones, which pydantic's does
        not.
        """
        for name in message if isinstance(message, dict) else ():
            if name not in cls.model_fields:
                raise ValueError(
                    f"{name}: there is no such field; the fields are {', '.join(cls.model_fields)}"
                )
        return message

    @model_validator(mode="after")
    def _gives_one(self) -> Self:
        if self.one_of and sum(getattr(self, name) is not None for name in self.one_of) != 1:
            *others, last = self.one_of
            raise ValueError(f"give one of {', '.join(others)} and {last}")
        return self

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any) -> dict[str, Any]:
        schema: dict[str, Any] = handler.resolve_ref_schema(handler(core_schema))
        if cls.one_of:
            schema["oneOf"] = [
                {"required": [name], "properties": {name: {"not": {"type": "null"}}}}
                for name in cls.one_of
            ]
        return schema


class TextOrPage(_Strict):
    """A plain text, or the HTML of a page: exactly one of the two fields."""

    one_of = ("text", "html")

    text: str | None = Field(None, description="Plain text; blank lines separate paragraphs.")
    html: str | None = Field(None, description="The source of a page.")


class NamedDocument(TextOrPage):
    """A document with a name, under which its result is returned."""

    id: str = Field(min_length=1, max_length=2000)
    url: str | None = None


class ReaderChoice(_Strict):
    """The reader of the estimate; by default the reader that the server was started with."""

    reader: (
        Literal["public", "assessor-2016", "plain-language", "well-read", "health-student"] | None
    ) = Field(None, description="A reader by name; `threshold` and `user` override its own.")
    threshold: Annotated[float, Field(ge=0, le=100)] | None = Field(
        None, description="The difficulty below which the reader understands."
    )
    user: Literal["calibrated", "step", "arctan"] | None = None
    noise_scale: Annotated[float, Field(ge=1e-6, le=1000)] | None = None


class ScoreRequest(ReaderChoice):
    """One text, one page, or a list of documents."""

    one_of = ("text", "html", "documents")

    text: str | None = None
    html: str | None = None
    documents: list[NamedDocument] | None = None


class EnglishChoice(_Strict):
    """The English of plain terms; by default it follows the spelling of the text."""

    english: Literal["american", "british"] | None = None


class ExplainRequest(TextOrPage, ReaderChoice, EnglishChoice):
    """One text or page to explain."""

    steps: bool = Field(True, description="Whether to work out what to do first, too.")


class SentenceRequest(ReaderChoice, EnglishChoice):
    """One sentence of a text, by its number in the explanation."""

    text: str
    sentence: int = Field(ge=0)


class SaveRequest(_Strict):
    """A text in Markdown, to be converted to a file of the requested format."""

    text: str
    kind: Literal["html", "docx"]
    title: str = Field("Your text", max_length=300)


class RewriteRequest(ReaderChoice):
    """A passage to be rewritten by the language model with which the server was started."""

    text: str = Field(min_length=1, max_length=20_000)


class CompareRequest(ReaderChoice):
    """Two versions of a text."""

    before: str
    after: str


class ReportRequest(TextOrPage, ReaderChoice):
    """One text or page to report on, perhaps compared with an earlier version."""

    title: str = Field("Your text", max_length=300)
    before: str | None = Field(None, description="Plain text to compare with.")


class RankedDocument(_Strict):
    """A search result: a document with its score from the search engine, and its P(U|d) or its
    text.
    """

    one_of = ("p_understandable", "text", "html")

    id: str = Field(min_length=1, max_length=2000)
    score: float = Field(allow_inf_nan=False)
    p_understandable: Chance | None = None
    text: str | None = None
    html: str | None = None


class RerankRequest(ReaderChoice):
    """Search results to be re-ranked."""

    documents: list[RankedDocument] = Field(min_length=1)
    weight: Chance = Field(0.5, description="0 keeps the engine's order, 1 orders by P(U|d) alone.")


class ScoreReply(BaseModel):
    """One row for each document that could be scored, in the order of the request."""

    settings: dict[str, Any] = Field(description="Model, scale, reader, versions.")
    rows: list[dict[str, Any]]
    errors: list[dict[str, str]] = Field(description="docno, stage and error of all others.")


class ExplainReply(BaseModel):
    """The content of the report: what makes a text hard."""

    explanation: dict[str, Any]


class SentenceReply(BaseModel):
    """Proposals for a sentence, the largest gain first."""

    proposals: list[dict[str, Any]]


class RewriteReply(BaseModel):
    """The proposed rewrite, whether it is accepted, and the facts that it loses or adds."""

    rewrite: dict[str, Any]


class CompareReply(BaseModel):
    """The changes between two versions of a text."""

    comparison: dict[str, Any]


class RerankedDocument(BaseModel):
    """A document of the re-ranked results, with the `score` by which it is ordered."""

    id: str
    rank: int
    score: float
    p_understandable: float | None


class RerankReply(BaseModel):
    """The re-ranked documents, the best first."""

    documents: list[RerankedDocument]


class FetchRequest(_Strict):
    """The address of a page to fetch from the network."""

    url: str = Field(max_length=2000, description="An http or https address.")


class TextReply(BaseModel):
    """The text of a file."""

    text: str
    title: str


class HealthReply(BaseModel):
    """The state of the server, and the model that it uses."""

    status: Literal["ok"]
    version: str
    bundle: str
    fetch: bool = Field(description="Whether the server fetches pages from the network.")
    rewrite: bool = Field(description="Whether the server has a language model for rewriting.")


class ErrorReply(BaseModel):
    """One sentence: what was expected, what was found, what to do."""

    error: str
