"""HTML printed to PDF by a browser of the Chromium family, where there is one."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from understandability.errors import InputError

VARIABLE = "CHROMIUM"
_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
_SECONDS = 120


def printed(html: str) -> bytes:
    """The PDF that a browser prints of a page.

    Uses the program that the environment variable `VARIABLE` names, else the first of the usual
    names on the path. Raises `InputError` where there is none, or it fails.
    """
    named = os.environ.get(VARIABLE)
    program = shutil.which(named) if named else next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        raise InputError(
            f"PDF is printed by Chromium, Chrome or Edge, and {named or 'none of them'} was not "
            f"found; install one, name it in {VARIABLE}, or write .html and print that"
        )
    with tempfile.TemporaryDirectory() as folder:
        page, made = Path(folder, "report.html"), Path(folder, "report.pdf")
        page.write_text(html, "utf-8")
        command = [
            program,
            "--headless",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--no-pdf-header-footer",
            f"--user-data-dir={folder}/profile",
            f"--print-to-pdf={made}",
            page.as_uri(),
        ]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.insert(1, "--no-sandbox")  # root has no sandbox; the report runs nothing
        try:
            subprocess.run(command, capture_output=True, timeout=_SECONDS, check=True)
            return made.read_bytes()
        except (OSError, subprocess.SubprocessError) as error:
            raise InputError(
                f"{program} made no PDF ({type(error).__name__}); write .html and print that"
            ) from error
