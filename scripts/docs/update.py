"""Update the parts of the documents that are generated from the code.

Run it after changing the code or the documents. A part is the text between ``<!-- begin: NAME -->``
and ``<!-- end: NAME -->``. A measured figure is followed by its name,
``.93<!-- readings-sources -->``; `docs/figures.json` lists all of them. With ``--check`` nothing is
written, and the exit status is 1 if a part or a figure is stale.
"""

import hashlib
import json
import os
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

from cyclopts import Argument
from scripts.shared import ROOT, UNDERSTAND, filled, output_of, parser_of

import understandability as ud
from understandability.cli import COMMANDS, GROUPS
from understandability.cli.commands import Command
from understandability.evaluation.conventions import CONVENTIONS, PRESETS
from understandability.evaluation.measures.bases import BASES, COMPOUNDS
from understandability.evaluation.measures.measure import FORMS
from understandability.evaluation.measures.parameters import PARAMETERS
from understandability.feature.catalogue import all_groups, catalogue, describe
from understandability.model.readers import DEFAULT_READER, READERS, reader_of
from understandability.training.validation import EIGHT_FORMULAS
from understandability.writers.levels import level_of

RESOURCES = ROOT / "resources"


def understand(*arguments: str) -> str:
    """Return the output of a command as a Markdown block."""
    lines = [line.rstrip() for line in output_of(*arguments).splitlines()]
    return "\n".join(["```", *lines, "```"])


def table(head: str, ruler: str, rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; `ruler` is the line that aligns the columns."""
    return "\n".join([f"| {head} |", ruler, *(f"| {' | '.join(row)} |" for row in rows)])


def samples() -> str:
    """Return the scores of the sample pages."""
    return understand("score", "resources/samples")


TUTORIAL = ROOT / "docs" / "start" / "index.md"


@cache
def tutorial() -> dict[str, str]:
    """Return the output of each step of the tutorial, in a new folder with the tutorial's files.

    A step is an indented command before ``<!-- begin: NAME -->``; a file is the block that follows
    "Save this as `NAME`".
    """
    text = TUTORIAL.read_text("utf-8")
    outputs = {}
    with TemporaryDirectory() as folder:
        for name, content in re.findall(
            r"Save this as `(.+?)`:\n\n```text\n(.*?)```", text, re.DOTALL
        ):
            Path(folder, name).write_text(content, "utf-8")
        for command, name in re.findall(
            r"^    understand (.+)\n\n<!-- begin: (.+) -->", text, re.M
        ):
            done = subprocess.run(
                [*UNDERSTAND, *command.split()],
                cwd=folder,
                capture_output=True,
                text=True,
                env={**os.environ, "COLUMNS": "120"},
            )
            lines = (done.stdout + done.stderr).splitlines()
            outputs[name] = "\n".join(["```text", *(line.rstrip() for line in lines), "```"])
    return outputs


def step(name: str) -> str:
    """Return the output of one step of the tutorial."""
    return tutorial()[name]


def three_pages() -> str:
    """Return a table of the sample pages: description, P(U|d), and the share of adults in words."""
    descriptions = {
        "easy.html": "a leaflet in plain words",
        "medium.html": "an article for patients",
        "hard.html": "a text for physicians",
    }
    scores = ud.score(str(RESOURCES / "samples"))
    rows = []
    for name, description in descriptions.items():
        chance = scores[name]["p_understandable"]
        share = f"{chance * 100:.0f} of a hundred"
        rows.append((f"{description} (`{name}`)", f"{chance:.2f}", share))
    return table("page | chance | adults who get the main message", "|---|--:|---|", rows)


def commands() -> str:
    """List every command by task, with the first sentence of its help and a link to its page."""
    tasks: dict[str, list[str]] = {}
    for name, meaning, task in all_commands():
        link = f"[`understand {name}`](commands/{name}.md)"
        tasks.setdefault(task, []).append(f"| {link} | {meaning} |".replace("|d)", "\\|d)"))
    parts = []
    for task, rows in tasks.items():
        parts += [f"| {task} | |", "|---|---|", *rows, ""]
    names = [f"commands/{name}" for name, _, _ in all_commands()]
    return "\n".join([*parts, ":::{toctree}", ":hidden:", "", *names, ":::"])


def all_commands() -> Iterator[tuple[str, str, str]]:
    """Yield the first word of each command, the first sentence of its help, and its task."""
    by_name = {
        command.words[0]: (GROUPS.get(command.words[0], command.summary), command.task)
        for command in COMMANDS
    }
    tasks = ["Score pages", "Train and judge models", "Evaluate runs", "Rank pages"]
    for task in tasks:
        for name, (summary, own_task) in by_name.items():
            if own_task == task:
                yield name, summary, task


def command_pages() -> dict[Path, str]:
    """Return a page per command with the content of ``--help``."""
    pages = {}
    for head in dict.fromkeys(command.words[0] for command in COMMANDS):
        parts = [f"# understand {head}", ""]
        if head in GROUPS:
            parts += [GROUPS[head], ""]
        for command in COMMANDS:
            if command.words[0] == head:
                parts += [f"## understand {command.name}", ""] if head in GROUPS else []
                parts += options_of(command)
        pages[DOCS / "commands" / f"{head}.md"] = "\n".join(parts)
    return pages


def options_of(command: Command) -> list[str]:
    """Return the help of a command, with examples as code and a table of its options."""
    own: list[OptionRow] = []
    shared: dict[str, list[str]] = {}
    for option in command.arguments.filter_by(show=True):
        row = option_row(option)
        if topic := topic_of(row):
            shared.setdefault(topic, []).extend(f"`{name}`" for name in option.names)
        else:
            own.append(row)
    lines = with_examples(command.help)
    if own:
        lines += [*map(item, own), ""]
    if shared:
        lines += ["Shared options:", ""]
        for topic, names in shared.items():
            anchor = topic.lower().replace(" ", "-")
            listed = ", ".join(names) if len(names) <= MOST_NAMED else f"{len(names)} options"
            lines.append(f"- [{topic}](../reference/options.md#{anchor}): {listed}")
        lines.append("")
    return lines


OptionRow = tuple[str, str, str]
MOST_NAMED = 5  # names of shared options that the page of a command lists
SHARED_BY = 2  # from this number of commands on, an option is described once for all of them


def item(row: OptionRow) -> str:
    """Format an option as a list item, because phones cut off wide tables."""
    names, default, meaning = row
    return f"- {names}{f' ({default})' if default else ''}: {meaning}"


def option_row(option: Argument) -> OptionRow:
    """Return the names of an argument or option, its default and its meaning."""
    about, default = option.parameter, option.field_info.default
    is_number = {int, float} & {option.hint, *get_args(option.hint)}
    placeholder = about.metavar or ("NUMBER" if is_number else "TEXT")
    value = "" if option.hint is bool or not is_option(option) else f" {placeholder}"
    names = ", ".join(f"`{name}{value}`" for name in option.names)
    note = "required" if option.required else ""
    if about.show_default and isinstance(default, str | float | int) and default:
        note = f"default `{default:g}`" if isinstance(default, float) else f"default `{default}`"
    return names, note, " ".join((about.help or "").split())


def is_option(option: Argument) -> bool:
    """Return True for an option, False for an argument, which is written without a name."""
    return option.name.startswith("-")


@cache
def commands_by_option() -> dict[OptionRow, list[str]]:
    """Return, for each option (names, default and meaning), the commands that have it."""
    commands: dict[OptionRow, list[str]] = {}
    for command in COMMANDS:
        for option in command.arguments.filter_by(show=True):
            if is_option(option):
                commands.setdefault(option_row(option), []).append(command.name)
    return commands


# The topic of a shared option is the topic of the first command in this table that has it.
TOPICS = {
    "evaluate": "Evaluation",
    "simulate users": "Simulation",
    "rerank": "New runs",
    "extract": "Pages and tables",
    "score": "Estimates",
    "train judged": "Labelled texts",
}


def topic_of(row: OptionRow) -> str:
    """Return the topic under which a shared option is described; "" if few commands share it."""
    commands = commands_by_option().get(row, [])
    if len(commands) < SHARED_BY:
        return ""
    if len(commands) > len(COMMANDS) // 2:
        return "All commands"
    return next((TOPICS[name] for name in TOPICS if name in commands), "")


def shared_options() -> str:
    """List every option that several commands share, by topic."""
    topics: dict[str, list[OptionRow]] = {topic: [] for topic in ("All commands", *TOPICS.values())}
    for row in commands_by_option():
        if topic := topic_of(row):
            topics[topic].append(row)
    # `docs/evaluation.md` describes the conventions.
    conventions = {f"--{name.replace('_', '-')}" for name in CONVENTIONS}
    parts = []
    for topic, rows in topics.items():
        described = [row for row in rows if row[0].strip("`").split()[0] not in conventions]
        parts += [f"## {topic}", "", *map(item, described)]
        if names := [f"`{row[0].strip('`').split()[0]}`" for row in rows if row not in described]:
            link = "[conventions](../evaluation.md#conventions)"
            parts.append(f"- {', '.join(names)}: {link}, each described there.")
        parts.append("")
    return "\n".join(parts)


def with_examples(text: str) -> list[str]:
    """Split a help into paragraphs, and format the examples among them as code."""
    lines = []
    for paragraph in text.split("\n\n"):
        example = re.match("(?:Examples?: )?(understand .*)", paragraph, re.DOTALL)
        if example:
            paragraph = "    " + " \\\n        ".join(example[1].split("\n"))
        lines += [paragraph, ""]
    return lines


def measures() -> str:
    """List every measure and every parameter of evaluation."""

    def written(parameters: Sequence[str]) -> str:
        return ", ".join(f"`{PARAMETERS[name].written}`" for name in parameters)

    rows = []
    for base in BASES.values():
        names = [f"{base.name}u" if form == "DIM" else f"{form}{base.name}" for form in base.forms]
        forms = ", ".join(f"`{name}`" for name in names if name != base.name)
        parameters = written(base.parameters_in(""))
        rows.append((f"`{base.name}`", forms, base.meaning, parameters, base.source))
    rows += [
        (f"`{row.name}(...)`", "", row.meaning, written(row.parameters), row.source)
        for row in COMPOUNDS.values()
    ]
    head = "measure | forms | meaning | parameters | source"
    measure_table = table(head, "|---|---|---|---|---|", rows)
    form_table = table(
        "form | meaning | further parameters | source",
        "|---|---|---|---|",
        (
            (example, FORMS[form].meaning, written(FORMS[form].parameters), FORMS[form].source)
            for form, example in {"u": "`uRBP`", "DIM": "`RBPu`", "H": "`HRBP`"}.items()
        ),
    )
    allowed = [(f"`{p.written}`", p.meaning, p.allowed) for p in PARAMETERS.values()]
    parameter_table = table("parameter | meaning | allowed", "|---|---|---|", allowed)
    return f"{measure_table}\n\n{form_table}\n\n{parameter_table}"


def conventions() -> str:
    """List every convention of evaluation, with its default and its value in each preset."""

    def formatted(value: Any) -> str:
        return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)

    head = ["convention", "default", *(f"`--preset {preset}`" for preset in PRESETS), "meaning"]
    rows = []
    for name, row in CONVENTIONS.items():
        values = [row.default, *row.metadata["presets"].values()]
        rows.append([f"`{name}`", *map(formatted, values), row.metadata["meaning"]])
    return table(" | ".join(head), "|---" * len(head) + "|", rows)


def feature_groups() -> str:
    """List the groups of the catalogue with their numbers of features and columns."""
    lines = []
    for group in all_groups():
        rows = [row for row in catalogue() if row.group == group]
        columns = sum(len(row.columns) for row in rows)
        needing = sum(len(row.columns) for row in rows if row.needs)
        lines.append((group, str(len(rows)), str(columns), str(needing or "")))
    head = "group | features | columns | of them with an installed vocabulary"
    return table(head, "|---|--:|--:|--:|", lines)


STUDY = "Palotti, Zuccon & Hanbury 2019"  # the source of most features, which the page says once
# The direction in an entry of the catalogue; nothing for most features, whose values are higher in
# harder texts.
DIRECTIONS = {"higher-harder": "", "higher-easier": "easier", "": "±"}


def features() -> str:
    """List the whole catalogue by group: each feature's meaning, unit, source and requirements."""
    parts = []
    for group in all_groups():
        parts += [f"### {group[0].upper()}{group[1:]}", ""]
        for feature in catalogue():
            if feature.group == group:
                row = describe(feature)
                direction = DIRECTIONS[row["direction"]]
                needs = f"needs {row['needs']}" if row["needs"] else ""
                source = row["source"] if row["source"] != STUDY else ""
                about = "; ".join(filter(None, (row["unit"], direction, source, needs)))
                parts.append(f"- `{row['name']}`: {row['meaning']} ({about})")
        parts.append("")
    return "\n".join(parts)


def readers() -> str:
    """List the readers."""
    rows = []
    for reader in READERS.values():
        name = f"`{reader.name}`" + " (default)" * (reader.name == DEFAULT_READER)
        rows.append((name, reader.description, f"{reader.threshold:g}", reader.source))
    return table("`--reader` | who | threshold | source", "|---|---|--:|---|", rows)


def rewriting() -> str:
    """Return a table of a page as published and after each step of rewriting."""
    rows = []
    for row in ud.score(DOCS / "howto" / "rewriting"):
        level = level_of(row["level"])
        assert level is not None
        name = Path(row["docno"]).stem.partition("_")[2].replace("_", " ")
        figures = "{difficulty:.0f} | {p_understandable:.0%} | {flesch_kincaid:.1f}".format(**row)
        rows.append((f"[{name}](rewriting/{row['docno']})", level.name, figures))
    head = "version | level | difficulty | chance | Flesch-Kincaid"
    return table(head, "|---|---|--:|--:|--:|", rows)


def assumptions() -> str:
    """Return a table of P(U|d) of the public reader by difficulty and standard error."""
    difficulties = (10, 30, 50, 70, 90)
    head = " | ".join(f"difficulty {difficulty}" for difficulty in difficulties)
    public, rows = reader_of("public"), []
    for spread in (5.0, 8.0, 15.0, 30.0):
        shares = public.understands(difficulties, [spread] * len(difficulties))
        rows.append([f"{spread:g}", *(f"{share:.2f}" for share in shares)])
    return table(f"standard error | {head}", "|--:|" + "--:|" * len(difficulties), rows)


RESULTS = ROOT / "results"
FIGURES = ROOT / "docs" / "figures.json"

_MUST_HOLD = "python -m scripts.evaluate.must_hold"
# Figures that documents quote. A table of results (its file, its part, the column that is quoted,
# the command that measures it) -> the name of each figure and the start of its row.
QUOTED: dict[tuple[str, str, str, str], dict[str, str]] = {
    ("number", "orders", "`open`", _MUST_HOLD): {
        "readings-sources": "readings, sources, groups",
        "readings-awkward": "readings, awkward kinds, groups",
        "kinds-left-out": "readings, sources, kinds",
        "pages-health": "whole pages, health",
        "pages-web": "whole pages, modern web",
    },
    ("number", "chances", "`open`", _MUST_HOLD): {
        "distance-sources": "mean distance of P from the share, sources",
        "distance-awkward": "mean distance of P from the share, awkward",
    },
    ("number", "certainty", "inside", _MUST_HOLD): {
        "within-sources": "readings, sources",
        "within-awkward": "readings, awkward",
    },
    ("estimators", "left-out", "level", "python -m scripts.evaluate.estimators"): {
        "medreadme": "medreadme (",
        "readmepp": "readmepp_en (",
    },
    ("estimators", "left-out", "difficulty", "python -m scripts.evaluate.estimators"): {
        "clear": "clear (",
        "cochrane": "cochrane_pls (",
    },
    ("pages", "panel-figures", "Spearman, 72 texts", "python -m scripts.evaluate.pages"): {
        "panel": "difficulty",
    },
}


@cache
def results(page: str) -> str:
    """Read a page of results."""
    return (RESULTS / f"{page}.md").read_text("utf-8")


def rows_of(page: str, part: str) -> list[dict[str, str]]:
    """Read the rows of a measured table as dictionaries, keyed by the header of the table."""
    match = re.search(
        f"<!-- begin: {part} -->\n(.*?)<!-- end: {part} -->", results(page), re.DOTALL
    )
    assert match, (page, part)
    lines = re.findall(r"^\|(.+)\|$", match[1], re.MULTILINE)
    head, _, *rows = [[cell.strip() for cell in line.split("|")] for line in lines]
    return [dict(zip(head, row, strict=True)) for row in rows]


def row_of(page: str, part: str, label: str) -> dict[str, str]:
    """Return the first row whose label starts with `label`."""
    return next(row for row in rows_of(page, part) if next(iter(row.values())).startswith(label))


@cache
def figures() -> dict[str, Any]:
    """Collect the figures that documents quote: the value, what it measures, how and when."""
    quoted = {}
    for (page, part, column, command), labels in QUOTED.items():
        measured = re.search(r"Measured on (\S+) with version (\S+), `open` (\w+)", results(page))
        assert measured, page
        for name, label in labels.items():
            row = row_of(page, part, label)
            value, _, interval = row[column].partition(" ")
            quoted[name] = {
                "value": value,
                "interval": interval,
                "of": f"{next(iter(row.values()))}: {column.strip('`')}",
                "command": command,
                "date": measured[1],
                "version": measured[2],
                "open": measured[3],
            }
    return quoted


def with_figures(text: str) -> str:
    """Update every quoted figure, such as ``.93<!-- readings-sources -->``, in a document."""
    values = {name: figure["value"] for name, figure in figures().items()}
    pattern = rf"[\d.%]+<!-- ({'|'.join(values)}) -->"
    return re.sub(pattern, lambda match: f"{values[match[1]]}<!-- {match[1]} -->", text)


# Sets that `open` was not trained on -> a description for newcomers, and the output of `open` that
# is compared with the labels.
_JUDGED = {
    "medreadme": ("sentences of health texts (MedReadMe, Pearson)", "level"),
    "medreadme_docs": ("whole health texts (MedReadMe, Pearson)", "level"),
    "readmepp_en": ("sentences of many domains (ReadMe++, Pearson)", "level"),
    "clear": ("passages for schools (CLEAR, Pearson)", "difficulty"),
    "cochrane_pls": ("plain summary or abstract? (Cochrane, ROC AUC)", "difficulty"),
    "wiki_simple_pairs": ("Wikipedia or its simple edition? (ROC AUC)", "difficulty"),
}


def quality() -> str:
    """Compare `open` with the best formula on labelled sets that it was not trained on."""
    rows = []
    for name, (title, number) in _JUDGED.items():
        cells = row_of("estimators", "left-out", f"{name} (")
        values = {column: cell.partition(" ")[0] for column, cell in cells.items()}
        formulas = {column: values[column] for column in values if column in EIGHT_FORMULAS}
        best = max(formulas, key=lambda formula: float(formulas[formula]))
        rows.append((title, f"{values[number]}, {number}", f"{formulas[best]} {best}"))
    return table("texts and measure | `open` | best formula", "|---|--:|--:|", rows)


def checksums() -> str:
    """List the SHA-256 of every embedded resource."""
    files = [path for path in sorted(RESOURCES.rglob("*")) if path.is_file()]
    lines = []
    for path in files:
        if path.name != "SOURCES.md":
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            lines.append(f"    {digest}  {path.relative_to(RESOURCES).as_posix()}")
    return "\n".join(["", *lines, ""])


DOCS = ROOT / "docs"


# Document -> name of a part -> the function that returns it. Checksums come first, because other
# parts load the resources.
def asked() -> str:
    """Return what `understand calibrate` prints of the invented answers."""
    example = "docs/howto/ask"
    with TemporaryDirectory() as folder:
        return understand(
            "calibrate", f"{example}/answers", "--texts", f"{example}/texts.csv",
            "-o", f"{folder}/ours.json",
        )  # fmt: skip


PARTS: dict[Path, dict[str, Callable[[], str]]] = {
    RESOURCES / "SOURCES.md": {"checksums": checksums},
    ROOT / "README.md": {"samples": samples, "quality": quality},
    DOCS / "commands.md": {"summary": commands},
    DOCS / "evaluation.md": {"conventions": conventions},
    DOCS / "concepts" / "understanding.md": {"readers": readers},
    DOCS / "concepts" / "limits.md": {"assumptions": assumptions},
    TUTORIAL: {name: partial(step, name) for name in ("score", "check", "both", "table")},
    DOCS / "start" / "number.md": {"three-pages": three_pages},
    DOCS / "howto" / "ask.md": {"asked": asked},
    DOCS / "howto" / "rewriting.md": {"rewriting": rewriting},
    DOCS / "quality" / "index.md": {"quality": quality},
    DOCS / "reference" / "features.md": {"feature-groups": feature_groups, "features": features},
    DOCS / "reference" / "measures.md": {"measures": measures},
    DOCS / "reference" / "options.md": {"shared-options": shared_options},
}


def updated(document: Path) -> str:
    """Return a document with all parts and quoted figures generated again."""
    text = document.read_text("utf-8")
    if document in PARTS:
        text = filled(document, {name: f"{make()}\n" for name, make in PARTS[document].items()})
    return with_figures(text)


def main() -> None:
    """Write the documents, or check them."""
    parser = parser_of(__doc__, data=False)
    parser.add_argument("--check", action="store_true", help="only check, and write nothing")
    arguments = parser.parse_args()
    pages = command_pages()
    others = [path for path in sorted(DOCS.rglob("*.md")) if path not in pages]
    for path in (*PARTS, *(path for path in others if path not in PARTS), *pages, FIGURES):
        before = path.read_text("utf-8") if path.exists() else ""
        if path == FIGURES:
            after = json.dumps(figures(), indent=1) + "\n"
        else:
            after = pages[path] if path in pages else updated(path)
        if arguments.check and after != before:
            raise SystemExit(f"{path.name} is stale; run scripts/docs/update.py")
        if after != before:
            path.write_text(after, "utf-8")
    for path in {*(DOCS / "commands").glob("*.md")} - {*pages}:
        raise SystemExit(f"{path} belongs to no command; remove it")


if __name__ == "__main__":
    main()
