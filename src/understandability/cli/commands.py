"""Commands made of public functions: a parameter is an option, and its docstring is the help."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cached_property, partial
from importlib.util import find_spec
from pathlib import Path
from types import NoneType, SimpleNamespace, UnionType
from typing import Annotated, Any, Literal, Union, Unpack, get_args, get_origin, get_type_hints

from understandability.hooks import load
from understandability.prompt import AtPrompt, prompted_dataclasses


@dataclass(frozen=True)
class Option:
    """An option of a command, or an argument, whose name has no ``-``.

    `about` is what its annotation says beside the type. `owners` are the dataclasses in which it is
    a field, from the outermost, each with the name of the parameter or field that gets it; ``**``
    where its fields are keywords.
    """

    parameter: str
    names: tuple[str, ...]
    type: Any
    default: Any
    help: str
    about: AtPrompt
    owners: tuple[tuple[Any, str], ...] = ()

    @property
    def is_argument(self) -> bool:
        """Whether it is written without a name."""
        return not self.names[0].startswith("-")


@dataclass(frozen=True)
class Command:
    """One command: the public function `call`, and the `door` by which its result leaves.

    A door is called with the function, all that was given bound to it, and with options of its own:
    where results go, what is told on the way, the exit status.
    """

    name: str
    call: str
    task: str
    door: str
    hidden: tuple[str, ...] = ()

    @property
    def words(self) -> list[str]:
        """The name as it is typed."""
        return self.name.split()

    @cached_property
    def options(self) -> list[Option]:
        """Arguments first, then options as the function and the door have them."""
        of_door = [*_options(load(self.door))]
        taken = {each.parameter for each in of_door} | {*self.hidden}
        own = [each for each in _options(load(self.call)) if each.parameter not in taken]
        return sorted([*own, *of_door], key=lambda each: not each.is_argument)

    @property
    def help(self) -> str:
        """The docstring of the function without what only Python needs to know."""
        return _text(load(self.call))

    @property
    def summary(self) -> str:
        """The first sentence of the help, read without loading what the function needs."""
        module, name = self.call.split(":")
        spec = find_spec(f"understandability.{module}")
        assert spec is not None
        assert spec.origin is not None
        tree = ast.parse(Path(spec.origin).read_text("utf-8"))
        found = next(
            each
            for each in tree.body
            if isinstance(each, ast.FunctionDef | ast.ClassDef) and each.name == name
        )
        text = " ".join((ast.get_docstring(found) or "").partition("\n\n")[0].split())
        return text.partition(". ")[0].rstrip(".") + "."

    def run(self, **given: Any) -> None:
        """Call the function by its door with the values of the options."""
        door = load(self.door)
        of_door = [*_options(door)]
        own = [each for each in self.options if each not in of_door]
        door(partial(load(self.call), **_arguments(own, given)), **_arguments(of_door, given))


def _arguments(options: Iterable[Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a function from the values of its options, dataclasses made of theirs."""
    arguments: dict[str, Any] = {}
    made: dict[tuple[tuple[Any, str], ...], dict[str, Any]] = {}
    for each in options:
        value = given.get(each.parameter)
        if value is None or (each.owners and value == each.default):
            continue
        if each.about.convert:
            value = load(each.about.convert)(value)
        for depth in range(len(each.owners)):
            made.setdefault(each.owners[: depth + 1], {})
        (made[each.owners] if each.owners else arguments)[each.parameter] = value
    # The innermost first: each is an argument of the one around it.
    for owners in sorted(made, key=len, reverse=True):
        (kind, name), around = owners[-1], owners[:-1]
        target = made[around] if around and around[-1][1] != "**" else arguments
        target |= made[owners] if name == "**" else {name: kind(**made[owners])}
    return arguments


def _options(function: Callable[..., Any]) -> Iterator[Option]:
    """The options of a function, those of dataclasses among its parameters too."""
    # What it returns may be of a package that is loaded when it is called.
    stated = {name: each for name, each in function.__annotations__.items() if name != "return"}
    around = SimpleNamespace(__annotations__=stated)
    hints = get_type_hints(around, function.__globals__, include_extras=True)
    texts = parameters_in(function)
    for name, each in inspect.signature(function).parameters.items():
        if each.kind is inspect.Parameter.POSITIONAL_ONLY or name not in hints:
            continue
        keywords = each.kind is inspect.Parameter.VAR_KEYWORD
        if keywords and get_origin(hints[name]) is Unpack:
            for made in prompted_dataclasses(get_args(hints[name])[0]):
                yield from _fields(made, ((made, "**"),))
            continue
        kind, about = _kind(hints[name])
        if about.type is None or (keywords and about.type is MISSING):
            continue
        if isinstance(kind, tuple) or is_dataclass(kind):
            for made in kind if isinstance(kind, tuple) else (kind,):
                yield from _fields(made, ((made, "**" if keywords else name),))
            continue
        needed = each.default is inspect.Parameter.empty
        argument = needed and not about.names and each.kind is each.POSITIONAL_OR_KEYWORD
        names = about.names or ((_value(name),) if argument else (_long(name),))
        text = texts.get(name, about.help)
        yield Option(name, names, kind, each.default, text, about)


def _fields(made: Any, owners: tuple[tuple[Any, str], ...]) -> Iterator[Option]:
    hints = get_type_hints(made, include_extras=True)
    texts = {k: v for each in reversed(made.__mro__) for k, v in parameters_in(each).items()}
    for each in fields(made):
        kind, about = _kind(hints[each.name])
        if about.type is None:
            continue
        if is_dataclass(kind):
            yield from _fields(kind, (*owners, (kind, each.name)))
            continue
        names = about.names or (_long(each.name),)
        default = each.default if each.default is not MISSING else None
        yield Option(
            each.name, names, kind, default, texts.get(each.name, about.help), about, owners
        )


def _kind(hint: Any) -> tuple[Any, AtPrompt]:
    """The type that the prompt reads, and what the annotation says."""
    about = AtPrompt(MISSING)
    if get_origin(hint) is Annotated:
        hint, *more = get_args(hint)
        about = next((each for each in more if isinstance(each, AtPrompt)), about)
    if about.type is not MISSING:
        return about.type, about
    kinds = [hint]
    if get_origin(hint) in (Union, UnionType):
        kinds = [each for each in get_args(hint) if each is not NoneType]
    return (kinds[0] if len(kinds) == 1 else str), about


def _long(name: str) -> str:
    return f"--{name.strip('_').replace('_', '-')}"


def _value(name: str) -> str:
    return name.strip("_").upper()


_SECTION = re.compile(r"^Args:\n((?:(?:    .*)?\n)*)", re.MULTILINE)
_ENTRY = re.compile(r"^    (\w+): (.*\n(?:     .*\n)*)", re.MULTILINE)


def parameters_in(documented: Any) -> dict[str, str]:
    """What the section ``Args:`` of a docstring says of each parameter.

    >>> parameters_in(AtPrompt)["value"]
    'What the help calls the value, such as FILE.'
    """
    found = _SECTION.search(f"{inspect.getdoc(documented) or ''}\n")
    entries = _ENTRY.findall(f"{found[1]}\n") if found else []
    return {name: " ".join(text.split()) for name, text in entries}


def _text(function: Callable[..., Any]) -> str:
    """A docstring for the prompt: no arguments, no errors, no examples in Python."""
    text = _SECTION.sub("", f"{inspect.getdoc(function) or ''}\n")
    paragraphs = [each.strip("\n") for each in re.split(r"\n\n+", text)]
    kept = [each for each in paragraphs if each and not re.match(r">>> |Raises |In Python", each)]
    return "\n\n".join(kept)


def completed(option: Option) -> Any:
    """The type of an option with the names that it may have, for the shell to complete."""
    if not option.about.choices:
        return option.type
    names = tuple(str(each) for each in load(option.about.choices))
    return Literal.__getitem__(names)
