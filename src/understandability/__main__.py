"""`python -m understandability` is the command `understand`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command; an interruption ends it without a word, also while it is loaded."""
    try:
        from understandability.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
