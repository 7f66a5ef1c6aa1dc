"""Write `docs/published/`, the numbers that papers print next to ours, and notes on them.

    python -m scripts.reproduce [--data ../shared/data] [--published ../shared/published]

With ``--check`` nothing is written, and the status is 1 if a verdict has changed. If data are
missing, the script says which ones and where they are published.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

from scripts.reproduce import clef2016, ecir2016, h_framework, medir2014, study2018
from scripts.reproduce.verdicts import (
    DIFFERS,
    EQUAL,
    NOT_POSSIBLE,
    RESULTS,
    WITHIN,
    Table,
    stored_verdicts,
    verdict_rows,
    write_results,
)
from scripts.shared import DATA, parser_of

PAPERS = (ecir2016, medir2014, h_framework, study2018, clef2016)
HEAD = """# Published numbers

Five papers print numbers that this package should compute, too. Does it? The files list every
number, printed and ours, with a verdict:

- *equal*: all printed digits are the same;
- *within*: the distance is small;
- *differs*: the file says why;
- *not possible*: the data are not public, and the file says which.

`python -m scripts.reproduce` writes this page and the files. A test checks the verdicts.
`results/published.md` in the source has notes on each paper.
"""
HEAD_OF_NOTES = """# Notes on published numbers

[Published numbers](../docs/published/index.md) counts what `python -m scripts.reproduce` could
repeat. These notes say why numbers differ, and what is missing. The script writes this page, too.
"""
NOTES = RESULTS.parents[1] / "results" / "published.md"
VERDICTS = (EQUAL, WITHIN, DIFFERS, NOT_POSSIBLE)


# The folders that the papers' tables are computed from, and where their files are published.
SOURCES = {
    "clef/clef2015": "runs, relevance and understandability labels of CLEF eHealth 2015, task 2: "
    "https://github.com/CLEFeHealth/CLEFeHealth2015Task2",
    "clef/clef2016": "runs and labels of CLEF eHealth 2016, task 3: "
    "https://github.com/CLEFeHealth/CLEFeHealth2016Task3",
}


def missing_sources(data: Path, published: Path) -> list[str]:
    """Return a line for each folder that is missing: its path, and where to get its files."""
    lines = [f"{data / name}: {origin}" for name, origin in SOURCES.items()]
    missing = [
        line for line, name in zip(lines, SOURCES, strict=True) if not (data / name).is_dir()
    ]
    if not published.is_dir():
        missing.append(f"{published}: the printed tables of the papers that docs/published names")
    return missing


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--published", type=Path, default=DATA.parent / "published")
    parser.add_argument("--check", action="store_true", help="only report changed verdicts")
    arguments = parser.parse_args()
    if missing := missing_sources(arguments.data, arguments.published):
        lines = "\n  ".join(missing)
        raise SystemExit(
            f"missing data; get these files and name their folders with --data and --published:\n"
            f"  {lines}"
        )
    papers = {paper: paper.tables(arguments.data, arguments.published) for paper in PAPERS}
    tables = [table for paper_tables in papers.values() for table in paper_tables]
    if arguments.check:
        changed = set(verdict_rows(tables)) ^ set(stored_verdicts())
        for row in sorted(changed):
            print(*row, sep="\t")
        raise SystemExit(1 if changed else 0)
    for paper, paper_tables in papers.items():
        write_results(RESULTS / f"{short_name(paper)}.csv", paper_tables)
    (RESULTS / "index.md").write_text(page(papers), "utf-8")
    NOTES.write_text(page_of_notes(papers), "utf-8")


def short_name(paper: ModuleType) -> str:
    """Return the name of a paper's module and of its file, such as ``ecir2016``."""
    return paper.__name__.rpartition(".")[2]


def title_of(paper: ModuleType) -> str:
    """Return the title of a paper: the first paragraph about its module."""
    return " ".join(str(paper.__doc__).split("\n\n")[0].split()).rstrip(".")


def page(papers: Mapping[ModuleType, Sequence[Table]]) -> str:
    """Return the page of results: for each paper the counts of verdicts, and the file."""
    parts = [HEAD]
    for paper, tables in papers.items():
        parts += [
            f"## {title_of(paper)}\n",
            f"| table | {' | '.join(VERDICTS)} |",
            "|---|--:|--:|--:|--:|",
        ]
        for table in tables:
            counts = table.counts()
            parts.append(f"| {table.name} | {' | '.join(str(counts[v]) for v in VERDICTS)} |")
        parts.append(f"\nAll rows: {{download}}`{short_name(paper)}.csv`.\n")
    return "\n".join(parts).rstrip() + "\n"


def page_of_notes(papers: Mapping[ModuleType, Sequence[Table]]) -> str:
    """Return the page of notes on each paper's numbers, each note once."""
    parts, printed = [HEAD_OF_NOTES], set[str]()
    for paper, tables in papers.items():
        notes = dict.fromkeys(
            note for table in tables for note in table.notes if note not in printed
        )
        printed |= notes.keys()
        parts += [f"## {title_of(paper)}\n", *(f"- {note}" for note in notes), ""] if notes else []
    return "\n".join(parts).rstrip() + "\n"


if __name__ == "__main__":
    main()
