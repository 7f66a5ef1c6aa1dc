"""`python -m understandability` is the command `understand`."""

from __future__ import annotations

import gc
import sys
from typing import Any


def main() -> None:
    """Run the command. Ctrl-C ends it without a message, even while modules are being imported."""
    sys.unraisablehook = _interrupt_again
    # A start allocates many objects and drops few: searching them for garbage as often as Python
    # does by default would take a tenth of its time.
    gc.set_threshold(50_000)
    try:
        from understandability.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


def _interrupt_again(lost: Any) -> None:
    """Interrupt the program again if Python drops a `KeyboardInterrupt`.

    Python only prints exceptions that are raised in its own callbacks, and continues.
    """
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    import _thread
    import threading

    threading.Timer(0.01, _thread.interrupt_main).start()


if __name__ == "__main__":
    main()
