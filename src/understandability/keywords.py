"""Typed keywords of public functions, taken from the fields of dataclasses.

A function with ``**options: Unpack[SettingsOptions]`` accepts the fields of `Settings` as keywords.
mypy and editors read the TypedDict. `keywords_of` adds the keywords to the signature and the
docstring, for ``help()`` and the command line, and rejects a misspelt one.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from dataclasses import MISSING, fields
from difflib import get_close_matches
from functools import wraps
from types import SimpleNamespace
from typing import Any, ParamSpec, TypeVar, get_args, get_type_hints

from cyclopts import Parameter

from understandability.errors import WrongTypeError

P = ParamSpec("P")
T = TypeVar("T")
_SECTION = re.compile(r"^Args:\n((?:(?:    .*)?\n)*)", re.MULTILINE)
_ENTRY = re.compile(r"^    (\w+): .*\n(?:     .*\n)*", re.MULTILINE)


def keywords_of(
    *dataclasses: type[Any], are_options: bool = True
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Return a decorator that documents and checks ``**options: Unpack[SomeTypedDict]``.

    The TypedDict lists the names and types of the keywords. Their defaults and descriptions come
    from the dataclasses, whose fields have the same names.

    >>> from dataclasses import dataclass
    >>> from typing import TypedDict, Unpack
    >>> @dataclass
    ... class Style:
    ...     '''The style.
    ...
    ...     Args:
    ...         colour: The name of the colour.
    ...     '''
    ...     colour: str = "red"
    >>> class StyleOptions(TypedDict, total=False):
    ...     colour: str
    >>> @keywords_of(Style)
    ... def draw(shape, **style: Unpack[StyleOptions]):
    ...     '''Draw a shape.'''
    >>> str(inspect.signature(draw)), parameters_in(draw)
    ("(shape, *, colour: 'str' = 'red')", {'colour': 'The name of the colour.'})
    >>> draw("circle", color="blue")
    Traceback (most recent call last):
    understandability.errors.WrongTypeError: draw has no keyword 'color'; did you mean 'colour'?

    Args:
        dataclasses: The classes whose fields are the keywords.
        are_options: True if the command of the function offers the fields as options.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        keywords = _types_of_keywords(function)
        defaults = {field.name: field.default for class_ in dataclasses for field in fields(class_)}
        entries = {
            name: text for class_ in dataclasses for name, text in _entries_in(class_).items()
        }
        # In the order of the fields; names that are no fields are last.
        names = sorted(keywords, key=[*defaults, *keywords].index)
        keyword_parameters = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=None if defaults.get(name, MISSING) is MISSING else defaults[name],
                annotation=keywords[name],
            )
            for name in names
        ]
        parameters = [
            p.replace(annotation=_without_metadata(p.annotation)) for p in own
        ] + keyword_parameters
        accepted = [parameter.name for parameter in parameters]

        @wraps(function)
        def checked(*args: P.args, **values: P.kwargs) -> T:
            for name in values:
                if name not in accepted:
                    near = get_close_matches(name, accepted)
                    near.sort(key=lambda other: other[0] != name[0])  # rarely the wrong letter
                    advice = (
                        f"did you mean {near[0]!r}?" if near else f"it has {', '.join(accepted)}"
                    )
                    raise WrongTypeError(f"{function.__name__} has no keyword {name!r}; {advice}")
            return function(*args, **values)

        checked.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]  # read by inspect
        checked.option_dataclasses = dataclasses if are_options else ()  # type: ignore[attr-defined]  # read by cli.commands
        shown_entries = "".join(entries[name] for name in names if name in entries)
        checked.__doc__ = _with_entries(inspect.getdoc(function) or "", shown_entries)
        return checked

    return decorate


def _types_of_keywords(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the types of the TypedDict in ``**options: Unpack[TypedDict]``, as written."""
    variadic = inspect.getfullargspec(function).varkw
    assert variadic is not None
    annotations = {variadic: function.__annotations__[variadic]}
    hints = get_type_hints(SimpleNamespace(__annotations__=annotations), function.__globals__)
    (typed_dict,) = get_args(hints[variadic])
    types = typed_dict.__annotations__.items()
    return {name: getattr(type_, "__forward_arg__", type_) for name, type_ in types}


def _without_metadata(annotation: Any) -> Any:
    """Return the type from the source text ``Annotated[type, ...]``; other annotations are
    unchanged.

    >>> _without_metadata("Annotated[str | None, Parameter('--tag')]")
    'str | None'
    """
    if not isinstance(annotation, str) or not annotation.startswith("Annotated["):
        return annotation
    expression = ast.parse(annotation, mode="eval").body
    assert isinstance(expression, ast.Subscript)
    assert isinstance(expression.slice, ast.Tuple)
    return ast.unparse(expression.slice.elts[0])


def parameters_in(documented: Any) -> dict[str, str]:
    """Return the description of each parameter in the section ``Args:`` of a docstring.

    A class has the parameters of its bases as well.

    >>> parameters_in(parameters_in)
    {'documented': 'A function or a class.'}

    Args:
        documented: A function or a class.
    """
    entries = _entries_in(documented).items()
    return {name: " ".join(entry.partition(":")[2].split()) for name, entry in entries}


def _entries_in(documented: Any) -> dict[str, str]:
    """Return the entries of ``Args:`` by parameter, as written: with the name and the
    indentation.
    """
    if isinstance(documented, type):
        documents = [class_.__doc__ for class_ in reversed(documented.__mro__[:-1])]
    else:
        documents = [documented.__doc__]
    entries: dict[str, str] = {}
    for document in documents:
        section = _SECTION.search(f"{inspect.cleandoc(document or '')}\n")
        if section is not None:
            entries |= {match[1]: match[0] for match in _ENTRY.finditer(f"{section[1]}\n")}
    return entries


def _with_entries(document: str, entries: str) -> str:
    """Append entries to the section ``Args:`` of a docstring."""
    section = _SECTION.search(f"{document}\n")
    if section is None:
        return f"{document}\n\nArgs:\n{entries}"
    end = section.start(1) + len(section[1].rstrip())
    return f"{document[:end]}\n{entries}{document[end:].removeprefix(chr(10))}"


def read_by(convert: Callable[[str], Any], **about: Any) -> Parameter:
    """Return the cyclopts annotation of an option whose text is converted by `convert`."""
    return Parameter(
        converter=lambda _, tokens: convert(tokens[-1].value),
        n_tokens=1,
        show_default=False,
        **about,
    )
