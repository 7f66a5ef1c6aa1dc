"""Take notebooks/report.png, the picture in the README: the top of the report of a sample page.

Needs Chromium. Take it anew after the default bundle or the report has changed.

    python -m scripts.docs.picture_report
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = "resources/samples/hard.html"
PICTURE = ROOT / "notebooks" / "report.png"
SIZE = "820,1300"


def main() -> None:
    """Explain the page, and let the browser draw the report."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        raise SystemExit("the picture needs a browser; install chromium")
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.html"
        explain = [sys.executable, "-m", "understandability", "explain", PAGE, "-o", str(report)]
        subprocess.run(explain, cwd=ROOT, check=True)
        subprocess.run(
            [
                browser,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                f"--user-data-dir={folder}/profile",
                f"--window-size={SIZE}",
                f"--screenshot={PICTURE}",
                report.as_uri(),
            ],
            check=True,
            capture_output=True,
        )
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
