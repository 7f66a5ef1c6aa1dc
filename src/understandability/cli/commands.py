"""Commands: each joins a public function that computes a result with a view that shows it.

cyclopts reads the signatures of both: the annotations with its `Parameter`, the dataclasses and the
docstrings.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, is_dataclass
from functools import cached_property, partial
from importlib.util import find_spec
from pathlib import Path
from types import NoneType, SimpleNamespace, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin, get_type_hints

from cyclopts import App, Parameter

from understandability.cli.results import set_silent
from understandability.hooks import load
from understandability.keywords import parameters_in

if TYPE_CHECKING:
    from cyclopts import Argument, ArgumentCollection

EMPTY = inspect.Parameter.empty
# The option of commands whose view has no --quiet of its own: it only hides remarks.
_QUIET = inspect.Parameter(
    "quiet",
    inspect.Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[bool, Parameter(("--quiet", "-q"), help="Show no remarks.")],
)
_SECTION = re.compile(r"^(?:[A-Z][a-z]+|In Python):$", re.MULTILINE)


def _shown_default(value: Any) -> str | None:
    """Return how the help shows a default; None hides it, because the help text describes it."""
    return str(value) if isinstance(value, str | int | float) and value not in (False, "") else None


DEFAULTS = Parameter(
    negative=(),
    show_env_var=False,
    show_choices=False,
    show_default=_shown_default,
    allow_leading_hyphen=True,  # "-" is standard input or output
    allow_repeating=True,  # the last one counts
)


@dataclass(frozen=True)
class Command:
    """One command: the public function `call`, and the function `view` that shows its result.

    A view is called with `call`, whose arguments are bound already, and with its own options. It
    calls the function, prints or writes the result, reports progress, and sets the exit status.
    `hidden` lists parameters of the function that the command line does not offer.
    """

    name: str
    call: str
    task: str
    view: str
    hidden: tuple[str, ...] = ()

    @property
    def words(self) -> list[str]:
        """The words of the name, as the user types them."""
        return self.name.split()

    @cached_property
    def function(self) -> Callable[..., None]:
        """One function with the options of the public function and of the view, for cyclopts."""
        return joined(load(self.call), load(self.view), self.hidden)

    @cached_property
    def arguments(self) -> ArgumentCollection:
        """The arguments and options, as cyclopts parsed them from the signatures."""
        app = App(default_parameter=DEFAULTS)
        app.default(self.function)
        return app.assemble_argument_collection(parse_docstring=True)

    @property
    def positional(self) -> list[Argument]:
        """The arguments that are typed without a name."""
        return [argument for argument in self.arguments if not argument.name.startswith("-")]

    @property
    def help(self) -> str:
        """The docstring of the function up to its first section, such as ``Args:``."""
        text = inspect.getdoc(load(self.call)) or ""
        return _SECTION.split(text, maxsplit=1)[0].strip()

    @property
    def summary(self) -> str:
        """The first sentence of the help, read from the source without importing the module."""
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


def joined(
    function: Callable[..., Any], view: Callable[..., Any], hidden: tuple[str, ...] = ()
) -> Callable[..., None]:
    """Combine a function and its view into one function that has the options of both.

    The result calls the view with the function, whose arguments are bound. If both have a parameter
    of the same name, both receive its value.
    """
    of_function = {option.name: option for option in _options(function, without=hidden)}
    of_view = {option.name: option for option in _options(view, without=("call", *of_function))}
    shared = [name for name in inspect.signature(view).parameters if name in of_function]
    options = [*of_function.values(), *of_view.values()]
    is_silencing = not any(_has_quiet(option) for option in options)
    if is_silencing:
        options.append(_QUIET)
    options.sort(key=lambda option: (option.kind, option.name not in of_function))
    arguments = [option.name for option in options if option.kind is option.POSITIONAL_ONLY]

    def run(*positional: Any, **values: Any) -> None:
        values |= dict(zip(arguments, positional, strict=False))
        # A view with its own --quiet decides itself which remarks it hides.
        set_silent(is_silencing and values.pop("quiet", False))
        call = partial(function, **{n: value for n, value in values.items() if n in of_function})
        same = {n: values.get(n, of_function[n].default) for n in shared}
        view(call, **same, **{n: value for n, value in values.items() if n in of_view})

    run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]  # what cyclopts reads
    run.__annotations__ = {option.name: option.annotation for option in options}
    return run


def is_list(argument: Argument) -> bool:
    """Return True if an argument or option accepts several values."""
    return bool(argument.token_count()[1])


def _options(
    function: Callable[..., Any], without: tuple[str, ...] = ()
) -> Iterator[inspect.Parameter]:
    """Yield the parameters of a function in the form that cyclopts reads: type, name, help text."""
    inner = inspect.unwrap(function)
    # Results may have types that are imported when the function is called.
    annotations = {n: t for n, t in inner.__annotations__.items() if n not in ("return", *without)}
    hints = get_type_hints(
        SimpleNamespace(__annotations__=annotations), inner.__globals__, include_extras=True
    )
    for class_ in getattr(function, "option_dataclasses", ()):
        hints |= get_type_hints(class_, include_extras=True)
    texts = parameters_in(function)
    for parameter in inspect.signature(function).parameters.values():
        name, kind_of_parameter = parameter.name, parameter.kind
        if name not in hints or name in without or kind_of_parameter is parameter.VAR_KEYWORD:
            continue
        type_, about = _type_at_prompt(hints[name])
        names = [written for option in about for written in option.name or ()]
        if names:
            is_argument = not names[0].startswith("-")
        else:
            is_argument = (
                kind_of_parameter is parameter.POSITIONAL_OR_KEYWORD and parameter.default is EMPTY
            )
        if is_dataclass(type_):
            about.append(Parameter(name="*"))  # its fields are options
        if name in texts:
            about.append(Parameter(help=texts[name]))
        if parameter.default is None:
            type_ = type_ | None
        yield parameter.replace(
            kind=parameter.POSITIONAL_ONLY if is_argument else parameter.KEYWORD_ONLY,
            annotation=Annotated[type_, *about] if about else type_,
        )


def _type_at_prompt(hint: Any) -> tuple[Any, list[Parameter]]:
    """Return the type of an option on the command line, and its cyclopts annotations.

    Of a union, this is the first type.
    """
    about: list[Parameter] = []
    if get_origin(hint) is Annotated:
        hint, *about = get_args(hint)
    if get_origin(hint) in (Union, UnionType):
        hint = next(type_ for type_ in get_args(hint) if type_ is not NoneType)
    return hint, about


def _has_quiet(option: inspect.Parameter) -> bool:
    """Return True for the option ``--quiet``, and for a dataclass with such a field."""
    type_, _ = _type_at_prompt(option.annotation)
    return option.name == "quiet" or "quiet" in getattr(type_, "__dataclass_fields__", ())
