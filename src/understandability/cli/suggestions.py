"""What to say to those who name a page where a command belongs."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from typer.core import TyperGroup

from understandability.errors import OptionError


class Commands(TyperGroup):
    """The commands; a file or folder in the place of one is told how to be scored."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the first argument names."""
        first = args[0] if args else ""
        if first not in self.commands and (first == "-" or "://" in first or Path(first).exists()):
            raise OptionError(
                f"{first!r} is not a command; to score it, write: "
                f"understand score {shlex.join(args)}"
            )
        return super().resolve_command(ctx, args)
