"""Take screenshots for first impressions: the editor at the first visit, and a report.

    python -m scripts.docs.screens FOLDER

At 1280 and 390 pixels, light and dark; only what is visible without scrolling, as a newcomer sees
it, and the whole of the light pages.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from scripts.browser import BrowserPage, browser_path, browsing
from scripts.faults.server import serving
from scripts.shared import ROOT, output_of

LEAFLET = ROOT / "tests" / "leaflets" / "before" / "hip_replacement_discharge.txt"
_SIZES = {1280: 800, 390: 844}


def take(page: BrowserPage, address: Path | str, name: str, folder: Path, ready: str) -> None:
    """Write the pictures of a page once the script `ready` is true in it."""
    for width, height in _SIZES.items():
        for shade in ("light", "dark"):
            page.open(address, width=width, dark=shade == "dark")
            end = time.monotonic() + 30
            while not page.evaluate(ready) and time.monotonic() < end:
                time.sleep(0.2)
            time.sleep(1)
            path = folder / f"{name}-{width}-{shade}.png"
            path.write_bytes(page.picture(height=height))
            if shade == "light":
                (folder / f"{name}-{width}-whole.png").write_bytes(page.picture())


def main() -> None:
    """Take the pictures."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    if browser_path() is None:
        raise SystemExit("the pictures need a browser; install chromium")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary, browsing(Path(temporary)) as page:
        with serving() as server:
            steps = "document.querySelectorAll('#steps li').length > 0"
            take(page, server.address, "editor", folder, steps)
        report = Path(temporary) / "report.html"
        report.write_text(output_of("explain", LEAFLET, "-o", "-"), "utf-8")
        take(page, report, "report", folder, "document.readyState == 'complete'")


if __name__ == "__main__":
    main()
