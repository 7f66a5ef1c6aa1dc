"""What the commands on labelled texts share: options, and how figures are shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from understandability.cli.groups import OptionGroup
from understandability.cli.options import HtmlColumn, IdColumn, TextColumn
from understandability.cli.outputs import named
from understandability.cli.tables import print_table
from understandability.wording import counted

if TYPE_CHECKING:
    from understandability.training.validation import Validation

_PANEL = "Tables of labels"
LabelDirection = Annotated[
    str | None,
    typer.Option(
        "--direction",
        help="What a higher label means: higher-harder or higher-easier.",
        rich_help_panel=_PANEL,
    ),
]
LabelColumn = Annotated[
    str | None, typer.Option(help="Column with the label. Default: label.", rich_help_panel=_PANEL)
]
GroupColumn = Annotated[
    str | None,
    typer.Option(
        help="Column that says which texts belong together (site, article). Default: group, if "
        "there is one; else each text is its own group.",
        rich_help_panel=_PANEL,
    ),
]


@dataclass(frozen=True, slots=True)
class LabelOptions(OptionGroup):
    """What the columns of tables of labels hold."""

    direction: LabelDirection = None
    label_column: LabelColumn = None
    group_column: GroupColumn = None
    id_column: IdColumn = None
    text_column: TextColumn = None
    html_column: HtmlColumn = None

    @property
    def chosen(self) -> dict[str, Any]:
        """The choice, as `train`, `validate` and `rescale` of the package take it."""
        return {
            "label": self.label_column,
            "direction": self.direction,
            "id": self.id_column,
            "text": self.text_column,
            "html": self.html_column,
            "group": self.group_column,
        }


def show_validation(result: Validation, how: str) -> None:
    """The figures of one set on the terminal; `how` says how they, or the chances, were made."""
    texts, groups = counted(result.records, "text"), counted(result.groups, "group")
    typer.echo(f"\n{result.set}: {texts} in {groups} ({how})")
    for reason, docnos in result.left_out.items():
        typer.echo(named(f"left out, {reason}", docnos))
    print_table(
        ("score", "n", "Pearson", "Spearman", "Kendall"),
        [
            (
                row.name,
                str(row.scored),
                *(
                    f"{row.correlations[name]:.3f} [{low:.3f}, {high:.3f}]"
                    for name, (low, high) in row.intervals.items()
                ),
            )
            for row in result.agreements
        ],
    )
    if result.chances:
        figures = (
            f"{name.replace('_', ' ')} {value:.3f}" for name, value in result.chances.items()
        )
        typer.echo(f"{how}: {', '.join(figures)}")
    for remark in result.remarks:
        typer.echo(remark, err=True)
