"""How a parameter of a public function looks at the prompt, said where the parameter is.

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
        type: What the prompt takes: str, int, float, bool, list[str], or a dataclass, whose fields
            become options. None: nothing; the prompt leaves the parameter to its default.
        names: Other names than the parameter's own; a name without ``-`` makes an argument of it.
        value: What the help calls the value, such as FILE.
        choices: Where the names to choose from are, as ``module:TABLE``, for the shell to complete.
        convert: What makes the value for the function of what was given, as ``module:function``.
        help: What the help says, for a parameter that several functions share.
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
        given = {
            "type": type,
            "names": names,
            "value": value,
            "choices": choices,
            "convert": convert,
            "help": help,
        }
        for name, each in given.items():
            object.__setattr__(self, name, each)


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
