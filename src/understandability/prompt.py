"""Annotations that say how a parameter of a public function looks at the prompt.

A command of `understand` is a public function: its parameters are the options, its docstring is the
help. `AtPrompt` says the little that a signature cannot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, init=False)
class AtPrompt:
    """Part of an annotation: ``Annotated[str | Path, AtPrompt(str, "--output", "-o")]``.

    Args:
        type: The type that the prompt accepts: str, int, float, bool, list[str], or a dataclass,
            whose fields become options. None: the parameter keeps its default.
        names: Other names than the parameter's own; a name without ``-`` makes an argument of it.
        value: The name of the value in the help, such as FILE.
        choices: The table of choices, as ``module:TABLE``, for completion in the shell.
        convert: A function that converts the value, as ``module:function``.
        help: The text of the help, for a parameter that several functions share.
    """

    type: Any
    names: tuple[str, ...]
    value: str
    choices: str
    convert: str
    help: str

    def __init__(
        self,
        type: Any = str,  # noqa: A002 - what it says
        *names: str,
        value: str = "",
        choices: str = "",
        convert: str = "",
        help: str = "",  # noqa: A002 - what it says
    ) -> None:
        values = {
            "type": type,
            "names": names,
            "value": value,
            "choices": choices,
            "convert": convert,
            "help": help,
        }
        for name, value_ in values.items():
            object.__setattr__(self, name, value_)


_KEYWORDS: dict[Any, tuple[type[Any], ...]] = {}


def keywords_at_prompt(keywords: Any, *dataclasses: type[Any]) -> None:
    """Let the fields of dataclasses be the options for ``**options: Unpack[keywords]``.

    `keywords` is a TypedDict, which mypy and editors read; the dataclasses annotate the same names
    for the prompt.
    """
    _KEYWORDS[keywords] = dataclasses


def prompted_dataclasses(keywords: Any) -> tuple[type[Any], ...]:
    """Return the dataclasses whose fields are the options for a TypedDict of keywords."""
    return _KEYWORDS.get(keywords, ())
