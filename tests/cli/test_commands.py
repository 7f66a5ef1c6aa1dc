"""A public function and a view become one command."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from cyclopts import App, CycloptsError, Parameter

from understandability.cli.commands import DEFAULTS, joined
from understandability.errors import OptionError
from understandability.keywords import read_by
from understandability.wording import numbers_in

CALLS: list[tuple[Any, ...]] = []


@dataclass(frozen=True)
class Style:
    """Style of the result.

    Args:
        colour: The colour.
        font: The font, for Python only.
    """

    colour: str = "red"
    font: Annotated[str, Parameter(parse=False)] = "mono"


def compute(
    runs: Sequence[str] | int,
    *,
    label: str | None = None,
    depths: Annotated[Sequence[float], read_by(numbers_in, metavar="N,...")] = (1.0,),
    kind: Annotated[str, Parameter("--type", choices=("a", "b"))] = "a",
    style: Style | None = None,
    secret: int = 0,
) -> list[Any]:
    """Compute.

    Args:
        runs: Runs.
        label: A label.
        depths: Depths.
        kind: The type.
        style: The style.
        secret: Not an option.
    """
    return [runs, label, depths, kind, style, secret]


def show(call: Callable[..., list[Any]], *, label: str | None, loud: bool = False) -> None:
    """Show the result.

    Args:
        loud: Print in capitals.
    """
    CALLS.append((call(), label, loud))


def called(line: str) -> tuple[Any, ...]:
    """The result of a command line, the label and the option that the view received."""
    app = App(default_parameter=DEFAULTS, result_action="return_value")
    app.default(joined(compute, show, ("secret",)))
    app(line.split(), exit_on_error=False, print_error=False)
    return CALLS.pop()


@pytest.mark.parametrize("has_pydantic", [False, True])
def test_options_that_are_left_out_keep_their_defaults(has_pydantic: bool) -> None:
    """cyclopts checks defaults too once another package has imported pydantic."""
    if has_pydantic:
        pytest.importorskip("pydantic")
    assert called("x y") == ([["x", "y"], None, (1.0,), "a", None, 0], None, False)


def test_function_and_view_both_receive_a_shared_option() -> None:
    """The view has the label that the function has; its own option goes to it alone."""
    result, label, loud = called("x --label L --loud --type b")
    assert (result[1], label, loud, result[3]) == ("L", "L", True, "b")


def test_text_becomes_values_and_fields_become_a_dataclass() -> None:
    result, *_ = called("x --depths .5,2 --colour blue")
    assert result[2] == (0.5, 2.0)
    assert result[4] == Style("blue")


def test_hidden_parameters_and_fields_for_python_are_no_options() -> None:
    app = App(default_parameter=DEFAULTS)
    app.default(joined(compute, show, ("secret",)))
    names = {argument.name for argument in app.assemble_argument_collection().filter_by(show=True)}
    options = {"--label", "--depths", "--type", "--colour", "--loud", "--quiet"}
    assert names == {"RUNS", *options}


@pytest.mark.parametrize(("line", "option"), [("x --type c", "--type"), ("x --colour", "--colour")])
def test_a_wrong_choice_and_a_missing_value_are_refused(line: str, option: str) -> None:
    with pytest.raises(CycloptsError, match=option):
        called(line)


def test_a_number_that_is_none_is_refused_in_our_words() -> None:
    with pytest.raises(OptionError, match="is not a list of numbers"):
        called("x --depths many")
