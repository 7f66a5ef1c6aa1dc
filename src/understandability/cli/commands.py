"""Commands derived from public functions: parameters are options, docstrings are help."""

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

    `about` is the rest of its annotation. `owners` are the dataclasses that have the option as a
    field, from the outermost, each with the name of the parameter or field that it fills; ``**``
    if its fields are keywords.
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
        """True for an argument, which is written without a name."""
        return not self.names[0].startswith("-")


@dataclass(frozen=True)
class Command:
    """One command: the public function `call`, and the `view` that shows its result.

    A view is called with the function, whose arguments are bound, and with options of its own. It
    decides where results go, reports progress, and sets the exit status.
    """

    name: str
    call: str
    task: str
    view: str
    hidden: tuple[str, ...] = ()

    @property
    def words(self) -> list[str]:
        """The name as it is typed."""
        return self.name.split()

    @cached_property
    def options(self) -> list[Option]:
        """Arguments first, then the options of the function and of the view."""
        of_view = [*_options(load(self.view))]
        replaced = {option.parameter for option in of_view} | {*self.hidden}
        own = [o for o in _options(load(self.call)) if o.parameter not in replaced]
        options = [*own, *of_view]
        if not any("--quiet" in option.names for option in options):
            options.append(_QUIET)
        return sorted(options, key=lambda option: not option.is_argument)

    @property
    def help(self) -> str:
        """The docstring of the function without the parts for Python."""
        return _text(load(self.call))

    @property
    def summary(self) -> str:
        """The first sentence of the help, read without importing the function."""
        module, name = self.call.split(":")
        spec = find_spec(f"understandability.{module}")
        assert spec is not None
        assert spec.origin is not None
        tree = ast.parse(Path(spec.origin).read_text("utf-8"))
        definition = next(
            node
            for node in tree.body
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name
        )
        text = " ".join((ast.get_docstring(definition) or "").partition("\n\n")[0].split())
        return text.partition(". ")[0].rstrip(".") + "."

    def run(self, **values: Any) -> None:
        """Call the view with the function, both with the values of their options."""
        view = load(self.view)
        of_view = [*_options(view)]
        own = [option for option in self.options if option not in of_view]
        # Commands with their own --quiet decide themselves which remarks they hide.
        load("cli.results:set_silent")(_QUIET in own and bool(values.get("quiet")))
        own = [option for option in own if option is not _QUIET]
        view(partial(load(self.call), **_arguments(own, values)), **_arguments(of_view, values))


# The option of commands whose view has no --quiet of its own: it only hides remarks.
_QUIET = Option(
    "quiet", ("--quiet", "-q"), bool, False, "Show no remarks.", AtPrompt(bool, "--quiet", "-q")
)


def _arguments(options: Iterable[Option], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a function, where the values of fields become dataclasses."""
    arguments: dict[str, Any] = {}
    of_owners: dict[tuple[tuple[Any, str], ...], dict[str, Any]] = {}
    for option in options:
        value = values.get(option.parameter)
        if value is None or (option.owners and value == option.default):
            continue
        if option.about.convert:
            value = load(option.about.convert)(value)
        for depth in range(len(option.owners)):
            of_owners.setdefault(option.owners[: depth + 1], {})
        (of_owners[option.owners] if option.owners else arguments)[option.parameter] = value
    # The innermost first: each is an argument of the one around it.
    for owners in sorted(of_owners, key=len, reverse=True):
        (dataclass_, name), around = owners[-1], owners[:-1]
        target = of_owners[around] if around and around[-1][1] != "**" else arguments
        fields_ = of_owners[owners]
        target |= fields_ if name == "**" else {name: dataclass_(**fields_)}
    return arguments


def _options(function: Callable[..., Any]) -> Iterator[Option]:
    """Yield the options of a function; a dataclass among its parameters yields its fields."""
    # The return type may be in a package that is imported when the function is called.
    annotations = {k: hint for k, hint in function.__annotations__.items() if k != "return"}
    around = SimpleNamespace(__annotations__=annotations)
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
    """Return the type that the prompt reads, and the rest of the annotation."""
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
    """Return the text of each parameter in the section ``Args:`` of a docstring.

    >>> parameters_in(AtPrompt)["value"]
    'The name of the value in the help, such as FILE.'
    """
    section = _SECTION.search(f"{inspect.getdoc(documented) or ''}\n")
    entries = _ENTRY.findall(f"{section[1]}\n") if section else []
    return {name: " ".join(text.split()) for name, text in entries}


def _text(function: Callable[..., Any]) -> str:
    """Return a docstring for the prompt: no arguments, no errors, no examples in Python."""
    text = _SECTION.sub("", f"{inspect.getdoc(function) or ''}\n")
    paragraphs = [paragraph.strip("\n") for paragraph in re.split(r"\n\n+", text)]
    for_python = re.compile(r">>> |Raises |In Python")
    return "\n\n".join(p for p in paragraphs if p and not for_python.match(p))


def completed(option: Option) -> Any:
    """Return the type of an option with its choices, for completion in the shell."""
    if not option.about.choices:
        return option.type
    names = tuple(map(str, load(option.about.choices)))
    return Literal.__getitem__(names)
