"""Take the documentation's screenshots of the real output, in Chromium.

    python -m scripts.docs.pictures [--data ../shared/data] [--check]

``docs/pictures/digests.json`` records what each picture shows; ``--check``, which a test runs, only
compares the records. The plot needs the runs of CLEF eHealth 2016; without them it is left alone.
"""

from __future__ import annotations

import hashlib
import html
import json
import math
import re
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from scripts.browser import BrowserPage, browser_path, browsing
from scripts.faults.server import serving
from scripts.shared import ROOT, TOLERANCE, output_of, parser_of

PICTURES = ROOT / "docs" / "pictures"
DIGESTS = PICTURES / "digests.json"
LEAFLET = (
    "## Going home after your knee operation\n\n"
    "Anticoagulants should be administered daily in order to prevent thrombosis, and you must "
    "contact the ward immediately if there is any discharge from the wound, if your temperature "
    "rises, or if you are experiencing pain in your calf.\n\n"
    "- Keep the wound dry.\n- Walk a little every hour.\n"
)
_STYLE = (
    "body{font:14px sans-serif;margin:16px}td{padding:2px 10px;vertical-align:top}"
    ".keep{background:#e5f3e5}.drop{color:#666}h1{font:bold 15px monospace}"
)


def extraction() -> str:
    """Return a page that shows which blocks of a sample page were extracted, and why."""
    title, *lines = output_of("extract", "resources/samples/medium.html", "--explain").splitlines()
    rows = []
    for line in lines:
        verdict, *cells = line.split("\t")
        row = "".join(f"<td>{html.escape(cell[:90])}" for cell in (verdict, *cells))
        rows.append(f"<tr class={verdict}>{row}")
    head = f"<!doctype html><meta charset=utf-8><style>{_STYLE}</style>"
    return f"{head}<h1>understand extract --explain {title.strip('= ')}</h1><table>{''.join(rows)}"


def editor() -> str:
    """Return the editor's own files, followed by the server's answer about `LEAFLET`."""
    from understandability import explain
    from understandability.resources import resource

    files = sorted(path for path in resource("editor").iterdir() if path.is_file())
    return "".join(path.read_text("utf-8") for path in files) + json.dumps(
        explain(LEAFLET).to_json(), sort_keys=True
    )


FIRST, *_, LAST = sorted((ROOT / "docs" / "howto" / "rewriting").glob("*.txt"))
SOURCES: dict[str, Callable[[], str]] = {
    "report": lambda: output_of("explain", "resources/samples/hard.html", "-o", "-"),
    "comparison": lambda: output_of("explain", "--compare", FIRST, LAST, "-o", "-"),
    "extraction": extraction,
    "editor": editor,
}
_SIZES = {"report": (820, 1300), "comparison": (820, 1100), "extraction": (900, 620)}


class Record(NamedTuple):
    """The content of a picture, in a form that can be compared across processors.

    Numbers with four or more decimals are compared with a tolerance, because their last digits
    depend on the processor. A digest of rounded numbers would not work, because tiny differences
    can change the rounding.
    """

    digest: str  # of the text without these numbers
    numbers: list[float]  # six significant digits

    def matches(self, other: Record) -> bool:
        """Return True if the text is the same and the numbers agree to about five digits."""
        return (
            self.digest == other.digest
            and len(self.numbers) == len(other.numbers)
            and all(
                math.isclose(ours, theirs, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
                for ours, theirs in zip(self.numbers, other.numbers, strict=True)
            )
        )


_NUMBER = re.compile(r"-?\d+\.\d{4,}(?:e[+-]?\d+)?")
_DURATION = re.compile(r"\d+ ms")  # differs from run to run


def record_of(text: str) -> Record:
    """Separate the long numbers of a text from the rest of it."""
    text = _DURATION.sub("", text)
    digest = hashlib.sha256(_NUMBER.sub("#", text).encode()).hexdigest()[:16]
    return Record(digest, [float(f"{float(number):.6g}") for number in _NUMBER.findall(text)])


def records() -> dict[str, Record]:
    """Return the current record of each picture."""
    return {name: record_of(source()) for name, source in SOURCES.items()}


def write_records(current: dict[str, Record]) -> None:
    """Write the records, one line for each picture."""
    lines = (
        f" {json.dumps(name)}: {json.dumps(record._asdict())}" for name, record in current.items()
    )
    DIGESTS.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def take_editor(page: BrowserPage) -> bytes:
    """Return a picture of the editor with a text, opened at its hardest sentence."""
    with serving() as server:
        page.open(server.address, width=1100)
        page.evaluate("document.getElementById('text').focus()")
        page.type(LEAFLET)
        wait = "document.querySelectorAll('#questions li').length"
        while not page.evaluate(wait):
            time.sleep(0.2)
        hardest = "[4, 3, 2, 1].flatMap(n => [...document.querySelectorAll('#mirror .shade-' + n)])"
        page.evaluate(f"{hardest}[0].click()")
        time.sleep(3)
        return page.picture(height=760)


def plot(data: Path) -> None:
    """Plot the runs of CLEF eHealth 2016 by RBP and by uRBP."""
    clef = data / "clef" / "clef2016"
    if not clef.is_dir():
        print(f"plot.png is not updated: there is no folder {clef}")
        return
    labels = ["--qrels", clef / "task2.qrels.gz", "--understandability", clef / "task2.qunder.gz"]
    measures = ["--scale", "lower-easier:40", "-m", "RBP(p=0.8)", "-m", "uRBP(p=0.8)"]
    runs = sorted((clef / "runs_t2").glob("*.gz"))
    output_of("plot", "systems", *runs, *labels, *measures, "-o", PICTURES / "plot.png")


def quality() -> None:
    """Plot the README's table: how well `open` and the best formula agree with human labels."""
    import matplotlib.pyplot as plt
    from scripts.docs.update import quality as table

    _, _, *lines = str(table()).splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in reversed(lines)]
    names, ours, formula = zip(*rows, strict=True)
    figure, axes = plt.subplots(figsize=(8, 2.8), layout="constrained")
    for values, label in ((ours, "open"), (formula, "best formula")):
        axes.plot([float(cell.split()[0].strip(",")) for cell in values], names, "o", label=label)
    axes.set_xlim(0.4, 1)
    axes.grid(axis="y", linewidth=0.3)
    axes.legend(loc="lower left")
    figure.savefig(PICTURES / "quality.png", dpi=120)


def main() -> None:
    """Take all pictures, or report which ones are stale."""
    parser = parser_of(__doc__)
    parser.add_argument("--check", action="store_true", help="only report which are stale")
    arguments = parser.parse_args()
    current = records()
    if arguments.check:
        recorded = json.loads(DIGESTS.read_text("utf-8"))
        stale = [
            name
            for name, record in current.items()
            if name not in recorded or not record.matches(Record(**recorded[name]))
        ]
        if stale:
            raise SystemExit(
                f"the pictures {', '.join(stale)} are stale; run python -m scripts.docs.pictures"
            )
        return
    if browser_path() is None:
        raise SystemExit("the pictures need a browser; install chromium")
    with tempfile.TemporaryDirectory() as folder, browsing(Path(folder)) as page:
        for name, (width, height) in _SIZES.items():
            path = Path(folder) / f"{name}.html"
            path.write_text(SOURCES[name](), "utf-8")
            page.open(path, width=width)
            (PICTURES / f"{name}.png").write_bytes(page.picture(height=height))
        (PICTURES / "editor.png").write_bytes(take_editor(page))
    plot(arguments.data)
    quality()
    write_records(current)


if __name__ == "__main__":
    main()
