"""What the system tells of a running process."""

from __future__ import annotations

import os
from pathlib import Path


def resident_megabytes(process: int) -> float:
    """How much memory a process has in use; 0 where the system does not tell (all but Linux).

    >>> resident_megabytes(os.getpid()) > 1 or not Path("/proc").exists()
    True
    """
    try:
        pages = Path(f"/proc/{process}/statm").read_text().split()[1]
    except (OSError, IndexError):
        return 0.0
    return int(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6
