"""`python -m understandability` is the command `understand`."""

from __future__ import annotations

import sys
from typing import Any


def main() -> None:
    """Run the command; an interruption ends it without a word, also while it is loaded."""
    sys.unraisablehook = _interrupt_again
    try:
        from understandability.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


def _interrupt_again(lost: Any) -> None:
    """Python prints and drops what is raised in a callback of its own, an interruption too."""
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    import _thread
    import threading

    threading.Timer(0.01, _thread.interrupt_main).start()


if __name__ == "__main__":
    main()
