"""Every keyword of a public function is visible to mypy: a misspelt one is an error."""

import inspect
import pydoc
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import understandability as ud
from understandability.crawls.options import (
    ExtractOptions,
    ReadOptions,
    ScoreOptions,
    Work,
    WorkOptions,
)
from understandability.errors import WrongTypeError
from understandability.scoring import Extraction, ExtractionOptions, Settings, SettingsOptions

WRONG = "_wrong"
# Keywords whose meaning is in the prose of a docstring.
UNDESCRIBED = {"scale"}


def functions() -> dict[str, Callable[..., Any]]:
    """The public functions, by name."""
    return {name: value for name, value in callables().items() if inspect.isfunction(value)}


def callables() -> dict[str, Callable[..., Any]]:
    """The public functions and classes, by name."""
    public = {name: getattr(ud, name) for name in ud.__all__}
    return {name: value for name, value in public.items() if callable(value)}


def calls_of(name: str, function: Callable[..., Any]) -> list[str]:
    """Calls with a value for each required argument, each with another keyword misspelt."""
    parameters = inspect.signature(function).parameters.values()
    values = []
    for parameter in parameters:
        if parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD:
            if parameter.kind is parameter.KEYWORD_ONLY:
                values.append(f"{parameter.name}=anything")
            elif parameter.kind is not parameter.VAR_POSITIONAL:
                values.append("anything")
    names = [p.name for p in parameters if p.default is not p.empty]
    return [
        f"ud.{name}({', '.join([*values, f'{misspelt}{WRONG}=1'])})" for misspelt in ("", *names)
    ]


def test_mypy_reports_every_misspelt_keyword_of_each_public_function_and_class(
    tmp_path: Path,
) -> None:
    """One run over a file with a call per keyword; each line has an error."""
    assert len(functions()) > 20
    head = ["from typing import Any", "import understandability as ud", "anything: Any = None"]
    calls = [call for name, value in callables().items() for call in calls_of(name, value)]
    assert len(calls) > 350
    path = tmp_path / "misspelt.py"
    path.write_text("\n".join([*head, *calls, ""]), "utf-8")
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--no-error-summary",
        "--hide-error-context",
        str(path),
    ]
    output = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    reported = {
        int(line.split(":")[1])
        for line in output.splitlines()
        if "misspelt.py" in line and WRONG in line
    }
    silent = [call for line, call in enumerate(calls, len(head) + 1) if line not in reported]
    assert silent == []


WITH_OPTIONS = {
    name: function
    for name, function in functions().items()
    if any(
        parameter.kind is parameter.VAR_KEYWORD
        for parameter in inspect.signature(inspect.unwrap(function)).parameters.values()
    )
}


@pytest.mark.parametrize("name", WITH_OPTIONS)
def test_help_describes_every_keyword(name: str) -> None:
    """`help()` shows the signature and the docstring; both have the keywords of the TypedDict."""
    function: Any = WITH_OPTIONS[name]
    inner = inspect.unwrap(function)
    unpacked = next(hint for hint in inner.__annotations__.values() if "Unpack[" in hint)
    keywords = inner.__globals__[unpacked.removeprefix("Unpack[").removesuffix("]")]
    shown = pydoc.render_doc(function, renderer=pydoc.plaintext)
    aliases = {"columns"} if name in ("score", "crawl") else set()
    for keyword in _inherited(keywords) - aliases:
        assert f"{keyword}: " in shown.partition(" -> ")[0], keyword
        if keyword not in UNDESCRIBED:
            assert f"    {keyword}: " in shown.partition("Args:")[2], keyword


@pytest.mark.parametrize("name", WITH_OPTIONS)
def test_a_misspelt_keyword_gets_one_sentence(name: str) -> None:
    """The error names the nearest keyword; it is a `TypeError` and an `OptionError`."""
    function: Any = WITH_OPTIONS[name]
    known = inspect.signature(function).parameters
    keyword = next(k for k, p in known.items() if p.kind is p.KEYWORD_ONLY and len(k) > 5)
    message = f"{name} has no keyword '{keyword[:-1]}'; did you mean '{keyword}'?"
    with pytest.raises(WrongTypeError, match=re.escape(message)):
        function(**{keyword[:-1]: 1})


def test_the_keywords_are_the_fields_of_the_dataclasses() -> None:
    """One list for mypy, another for the prompt: they hold the same names."""

    def fields(*dataclasses: type) -> set[str]:
        return {name for each in dataclasses for name in each.__dataclass_fields__}  # type: ignore[attr-defined]

    for keywords, dataclasses, more in (
        (ExtractionOptions, [Extraction], set()),
        (SettingsOptions, [Settings], set()),
        (WorkOptions, [Work], set()),
        (ReadOptions, [Extraction, Work], set()),
        (ExtractOptions, [Extraction, Work], {"columns"}),
        (ScoreOptions, [Settings, Work], {"columns"}),
    ):
        assert set(keywords.__annotations__) | _inherited(keywords) == fields(*dataclasses) | more


def _inherited(keywords: type) -> set[str]:
    return set(keywords.__optional_keys__) | set(keywords.__required_keys__)  # type: ignore[attr-defined]
