"""Views of the commands for writers: reports, rewrites, the editor, and checks of texts."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

from cyclopts import Parameter

from understandability.cli.results import File, say
from understandability.errors import OptionError

if TYPE_CHECKING:
    from understandability.writers.audit import Audit
    from understandability.writers.check import Checks
    from understandability.writers.explain import Reported
    from understandability.writers.llm_rewrite import RewriteCheck, Rewritten

_REPORTS = ("", ".html", ".htm", ".pdf", ".csv")  # the last of an audit only
_NO_TEXT = (*_REPORTS[1:], ".docx", ".doc", ".odt", ".xlsx")


def report_written(
    call: Callable[..., Reported | Audit],
    *,
    inputs: Sequence[str],
    crawl: str | None,
    compare: bool,
    output: File = "-",
    json_: Annotated[bool, Parameter("--json")] = False,
) -> None:
    """Write a report as HTML or PDF, or its content as JSON or CSV.

    Args:
        output: The report, as .html or .pdf, of a crawl also .csv; - is standard output.
        json_: Write the content of the report as JSON.
    """
    from understandability.inputs.writing import check_is_no_input, write_bytes, write_text
    from understandability.writers.templates import printed

    ending = Path(output).suffix.lower()
    is_pdf, is_csv = ending == ".pdf", ending == ".csv"
    if output == "-" and not json_ and sys.stdout.isatty():
        raise OptionError("the report is a page for a browser; name a file, such as -o report.html")
    if json_ and is_pdf:
        raise OptionError("--json does not write a report; name a .json file")
    if crawl and compare:
        raise OptionError("--crawl makes an audit of a site; leave out --compare")
    if is_csv and (json_ or not crawl):
        raise OptionError("only the audit of a site, with --crawl, is made as CSV")
    check_is_no_input(output, inputs)
    if not json_ and ending not in _REPORTS:
        raise OptionError(f"a report is .html or .pdf, not {ending}")
    report = call(tell=say)
    if json_:
        text = json.dumps(report.to_json(), ensure_ascii=False, indent=1) + "\n"
    elif is_csv:
        text = cast("Audit", report).csv()  # checked above
    else:
        text = report.html()
    if is_pdf:
        write_bytes(output, printed(text))
    else:
        write_text(output, text)
    if output != "-" and not json_ and not is_csv:
        say(f"{output}: written; open it in a {'viewer' if is_pdf else 'browser'}")


def rewritten(
    call: Callable[..., Rewritten | RewriteCheck],
    *,
    path: str,
    check: str | None,
    output: File = "-",
    json_: Annotated[bool, Parameter("--json")] = False,
) -> None:
    """Write the text with the accepted rewrites; with ``--check``, the facts that a rewrite loses.

    Args:
        output: The text, with each accepted rewrite in the place of its passage; with --check,
            the lost and new facts; - is standard output.
        json_: With --check: write the result as JSON.
    """
    from understandability.inputs.writing import check_is_no_input, write_text
    from understandability.writers.llm_rewrite import RewriteCheck
    from understandability.writers.templates import percent

    check_is_no_input(output, [str(name) for name in (path, check) if name])
    if json_ and not check:
        raise OptionError("--json needs --check; without it, the result is the text")
    result = call()
    if isinstance(result, RewriteCheck):
        is_json = json_ or output.endswith(".json")
        text = json.dumps(result.to_json(), ensure_ascii=False, indent=1) if is_json else result
        write_text(output, f"{text}\n")
        if not result.is_faithful:
            raise SystemExit(1)
        return
    for number, passage in enumerate(result.rewrites, 1):
        verdict = "rewritten" if passage.accepted else f"unchanged, because {passage.why}"
        shares = f"{percent(passage.before)} to {percent(passage.after)} of readers"
        say(f"passage {number}: {verdict} ({shares})")
    write_text(output, f"{result.text}\n")


def served(call: Callable[[], None]) -> None:
    """Run the server of the editor until it is stopped."""
    call()


def asked(
    call: Callable[..., str],
    *,
    texts: str,
    instructions: str | None,
    consent: str | None,
    output: Annotated[str, Parameter(("--output", "-o"), metavar="FILE.html")],
) -> None:
    """Write the page of a study.

    Args:
        output: The page.
    """
    from understandability.inputs.writing import check_folder, check_is_no_input, write_text

    if Path(output).suffix.lower() not in (".html", ".htm"):
        raise OptionError(f"the page is written as .html, not as {output}; name a FILE.html")
    check_is_no_input(output, [name for name in (texts, instructions, consent) if name])
    check_folder(output)
    write_text(output, call(tell=say))
    say(
        f"Next: open {output}, try it, and send it to your participants; then understand calibrate "
        f"FOLDER --texts {texts} -o reader.json"
    )


def _formats(_: object) -> Iterable[str]:
    """Return the names of output formats, which the shell offers as completions."""
    from understandability.writers.check_formats import FORMATS

    return FORMATS


def text_checked(
    call: Callable[[], Checks],
    *,
    paths: Sequence[str],
    output: File = "-",
    format: Annotated[  # noqa: A002 - the name of the option
        str, Parameter(completer=_formats)
    ] = "text",
) -> None:
    """Report texts that miss their target; exit with status 1 if any does or cannot be read.

    Args:
        output: Where to write the result; - is standard output.
        format: text (with --changed-from, a Markdown comment), json, sarif, github or vale.
    """
    from understandability.errors import check_choice
    from understandability.inputs.writing import check_is_no_input, write_text
    from understandability.writers.check_formats import FORMATS

    check_choice("format", format, FORMATS)
    if Path(output).suffix.lower() in _NO_TEXT:
        raise OptionError(f"check writes text, not {output}; `understand explain` makes reports")
    check_is_no_input(output, paths)
    result = call()
    for remark in result.remarks:
        say(remark)
    write_text(output, f"{FORMATS[format](result)}\n")
    if result.misses or result.errors:
        raise SystemExit(1)
