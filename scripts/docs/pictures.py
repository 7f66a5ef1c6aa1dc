"""Take the pictures of the documents from the real thing, in Chromium.

    python -m scripts.docs.pictures [--data ../shared/data] [--check]

``docs/pictures/digests.json`` keeps a digest of what each shows; ``--check`` (a test does it) only
compares these. The plot needs the runs of CLEF eHealth 2016 and stays as it is without them.
"""

import hashlib
import html
import json
import re
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from scripts.browser import BrowserPage, browsing, found
from scripts.faults.server import serving
from scripts.shared import ROOT, parser_of, told

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
    """What was kept of a sample page, and why."""
    title, *lines = told("extract", "resources/samples/medium.html", "--explain").splitlines()
    rows = []
    for line in lines:
        verdict, *cells = line.split("\t")
        shown = "".join(f"<td>{html.escape(each[:90])}" for each in (verdict, *cells))
        rows.append(f"<tr class={verdict}>{shown}")
    head = f"<!doctype html><meta charset=utf-8><style>{_STYLE}</style>"
    return f"{head}<h1>understand extract --explain {title.strip('= ')}</h1><table>{''.join(rows)}"


def editor() -> str:
    """All that the editor shows of a text: its files, and what the server answers."""
    from understandability import explain
    from understandability.resources import resource

    files = sorted(path for path in resource("editor").iterdir() if path.is_file())
    return "".join(path.read_text("utf-8") for path in files) + json.dumps(
        explain(LEAFLET).to_json(), sort_keys=True
    )


FIRST, *_, LAST = sorted((ROOT / "docs" / "howto" / "rewriting").glob("*.txt"))
SOURCES: dict[str, Callable[[], str]] = {
    "report": lambda: told("explain", "resources/samples/hard.html", "-o", "-"),
    "comparison": lambda: told("explain", "--compare", FIRST, LAST, "-o", "-"),
    "extraction": extraction,
    "editor": editor,
}
_SIZES = {"report": (820, 1300), "comparison": (820, 1100), "extraction": (900, 620)}


def digests() -> dict[str, str]:
    """A digest of what each picture shows, without what differs from run to run."""
    return {
        name: hashlib.sha256(re.sub(r"\d+ ms", "", source()).encode()).hexdigest()[:16]
        for name, source in SOURCES.items()
    }


def take_editor(page: BrowserPage) -> bytes:
    """The editor with a text, opened at its hardest sentence."""
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
    """Runs of CLEF eHealth 2016 by RBP and by uRBP."""
    clef = data / "clef" / "clef2016"
    if not clef.is_dir():
        print(f"plot.png stays as it is: {clef} is not there")
        return
    labels = ["--qrels", clef / "task2.qrels.gz", "--understandability", clef / "task2.qunder.gz"]
    measures = ["--scale", "lower-easier:40", "-m", "RBP(p=0.8)", "-m", "uRBP(p=0.8)"]
    runs = sorted((clef / "runs_t2").glob("*.gz"))
    told("plot", "systems", *runs, *labels, *measures, "-o", PICTURES / "plot.png")


def quality() -> None:
    """Agreement of the default and of the best formula with people, as the README prints it."""
    import matplotlib.pyplot as plt
    from scripts.docs.update import quality as table

    _, _, *lines = str(table()).splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in reversed(lines)]
    names, ours, formula = zip(*rows, strict=True)
    figure, axes = plt.subplots(figsize=(8, 2.8), layout="constrained")
    for values, label in ((ours, "open"), (formula, "best formula")):
        axes.plot([float(each.split()[0].strip(",")) for each in values], names, "o", label=label)
    axes.set_xlim(0.4, 1)
    axes.grid(axis="y", linewidth=0.3)
    axes.legend(loc="lower left")
    figure.savefig(PICTURES / "quality.png", dpi=120)


def main() -> None:
    """Take all pictures, or tell which are of yesterday."""
    parser = parser_of(__doc__)
    parser.add_argument("--check", action="store_true", help="only tell which are stale")
    arguments = parser.parse_args()
    now = digests()
    if arguments.check:
        kept = json.loads(DIGESTS.read_text("utf-8"))
        if stale := [name for name in now if now[name] != kept.get(name)]:
            raise SystemExit(
                f"the pictures {', '.join(stale)} are stale; run scripts/docs/pictures.py"
            )
        return
    if found() is None:
        raise SystemExit("the pictures need a browser; install chromium")
    with tempfile.TemporaryDirectory() as folder, browsing(Path(folder)) as page:
        for name, (width, height) in _SIZES.items():
            shown = Path(folder) / f"{name}.html"
            shown.write_text(SOURCES[name](), "utf-8")
            page.open(shown, width=width)
            (PICTURES / f"{name}.png").write_bytes(page.picture(height=height))
        (PICTURES / "editor.png").write_bytes(take_editor(page))
    plot(arguments.data)
    quality()
    DIGESTS.write_text(json.dumps(now, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
