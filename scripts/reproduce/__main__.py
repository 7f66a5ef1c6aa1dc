"""Write `docs/published/`: the printed numbers of the papers next to ours, with verdicts.

    python -m scripts.reproduce [--data ../shared/data] [--published ../shared/published]

With ``--check`` nothing is written, and the status is 1 if a verdict has changed. If data are
missing, the script says which ones and where they are published.
"""

from pathlib import Path

from scripts.reproduce import clef2016, ecir2016, h_framework, medir2014, study2018
from scripts.reproduce.verdicts import PAGES, kept_verdicts, verdict_rows
from scripts.shared import DATA, parser_of

PAPERS = (ecir2016, medir2014, h_framework, study2018, clef2016)
HEAD = """# Published numbers

The numbers that papers on understandability-biased evaluation print, and what we compute.
*Equal*: equal to the printed digits; *within*: no further off than that; *differs*: further off,
for the reason given; *not possible*: the data needed are not public, and are named. If a paper
contradicts itself, a note says so. `python -m scripts.reproduce` writes these pages; a test checks
the verdicts.
"""


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
        changed = set(verdict_rows(tables)) ^ set(kept_verdicts())
        for row in sorted(changed):
            print(*row, sep="\t")
        raise SystemExit(1 if changed else 0)
    names = [paper.__name__.rpartition(".")[2] for paper in papers]
    links = []
    for name, (paper, paper_tables) in zip(names, papers.items(), strict=True):
        about = " ".join(str(paper.__doc__).split("\n\n")[0].split()).rstrip(".")
        parts = [f"# {about}\n", *(table.markdown() for table in paper_tables)]
        (PAGES / f"{name}.md").write_text("\n".join(parts), encoding="utf-8")
        links.append(f"- [{about}]({name}.md)")
    contents = [":::{toctree}", ":hidden:", "", *names, ":::"]
    (PAGES / "index.md").write_text("\n".join([HEAD, *links, "", *contents, ""]), "utf-8")


if __name__ == "__main__":
    main()
