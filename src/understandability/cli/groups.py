"""Options that several commands share, each group of them one parameter of a command."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self

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
    from understandability.inputs.sources import Sources


class OptionGroup:
    """Options that belong together: a dataclass, an option for each of its fields."""

    __slots__ = ()

    @classmethod
    def options(cls) -> list[inspect.Parameter]:
        """The options, as parameters of a command."""
        return [*inspect.signature(cls, eval_str=True).parameters.values()]

    @classmethod
    def of(cls, given: dict[str, Any]) -> Self:
        """The group, filled with what was given for each of its `options`."""
        return cls(**given)


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Let a parameter whose type is an `OptionGroup` stand for all options of that group.

    Typer sees the options one by one; the command gets the group, filled.

    >>> def command(name: str, pages: PageOptions) -> None: ...
    >>> [*inspect.signature(with_groups(command)).parameters][:4]
    ['name', 'docnos', 'limit_mb', 'id_column']
    """
    own = inspect.signature(command, eval_str=True).parameters.values()
    groups: dict[str, tuple[type[OptionGroup], list[inspect.Parameter]]] = {
        each.name: (each.annotation, each.annotation.options())
        for each in own
        if isinstance(each.annotation, type) and issubclass(each.annotation, OptionGroup)
    }
    options: list[inspect.Parameter] = []
    for each in own:
        options += groups[each.name][1] if each.name in groups else [each]

    @functools.wraps(command)
    def run(**given: Any) -> None:
        for name, (group, parts) in groups.items():
            given[name] = group.of({part.name: given.pop(part.name) for part in parts})
        command(**given)

    keyword_only = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in options]
    run.__signature__ = inspect.Signature(keyword_only)  # type: ignore[attr-defined]  # read by typer
    run.__annotations__ = {}
    return run


@dataclass(frozen=True, slots=True)
class TextOptions(OptionGroup):
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
class ReaderOptions(OptionGroup):
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
class PageOptions(OptionGroup):
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
