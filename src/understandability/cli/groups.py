"""Options that several commands share, each group of them one parameter of a command."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any

from understandability.cli.options import (
    Bundle,
    Docnos,
    Engine,
    Extractor,
    HtmlColumn,
    IdColumn,
    Keep,
    LimitMb,
    NoiseScale,
    Reader,
    SentenceEnds,
    TextColumn,
    Threshold,
    UrlColumn,
    User,
    columns_of,
    number,
    sources,
)

if TYPE_CHECKING:
    from understandability.formats.sources import Sources


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Let a parameter whose type is a dataclass stand for an option for each of its fields.

    Typer sees the options one by one; the command gets the dataclass, filled.

    >>> def command(name: str, pages: PageOptions) -> None: ...
    >>> [*inspect.signature(with_groups(command)).parameters][:4]
    ['name', 'docnos', 'limit_mb', 'id_column']
    """
    own = inspect.signature(command, eval_str=True).parameters.values()
    groups: dict[str, Any] = {
        each.name: each.annotation for each in own if is_dataclass(each.annotation)
    }
    options: list[inspect.Parameter] = []
    for each in own:
        if group := groups.get(each.name):
            options += inspect.signature(group, eval_str=True).parameters.values()
        else:
            options.append(each)

    @functools.wraps(command)
    def run(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        command(**given)

    keyword_only = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in options]
    run.__signature__ = inspect.Signature(keyword_only)  # type: ignore[attr-defined]  # read by typer
    run.__annotations__ = {}
    return run


@dataclass(frozen=True, slots=True)
class TextOptions:
    """How the text of a page is found; fields of `Settings`."""

    extractor: Extractor = "main"
    sentence_ends: SentenceEnds = "force-period"
    engine: Engine = "fast"

    @property
    def title(self) -> str:
        """The choice in a few words."""
        return f"{self.extractor}, {self.sentence_ends}"

    @property
    def chosen(self) -> dict[str, Any]:
        """The choice, as `Settings` takes it."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, slots=True)
class ReaderOptions:
    """By which model, and for whom, pages are scored; fields of `Settings`."""

    bundle: Bundle = "open"
    reader: Reader = "public"
    threshold: Threshold = None
    user: User = None
    noise_scale: NoiseScale = None

    @property
    def chosen(self) -> dict[str, Any]:
        """The choice, as `Settings` takes it."""
        chosen = {field.name: getattr(self, field.name) for field in fields(self)}
        return chosen | {"noise_scale": number(self.noise_scale, "--noise-scale")}


@dataclass(frozen=True, slots=True)
class PageOptions:
    """Which pages are read, and from which columns of tables."""

    docnos: Docnos = None
    limit_mb: LimitMb = 10.0
    id_column: IdColumn = None
    html_column: HtmlColumn = None
    text_column: TextColumn = None
    url_column: UrlColumn = None
    keep: Keep = None

    def sources(self, inputs: list[str]) -> Sources:
        """The pages of the inputs."""
        columns = columns_of(
            self.id_column, self.html_column, self.text_column, self.url_column, self.keep
        )
        return sources(inputs, self.docnos, self.limit_mb, columns=columns)
