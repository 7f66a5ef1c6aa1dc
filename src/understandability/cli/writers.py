"""Views of reports, rewrites and the editor."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from understandability.cli.results import File, Given, say
from understandability.errors import OptionError
from understandability.prompt import AtPrompt

if TYPE_CHECKING:
    from understandability.writers.check import Checks
    from understandability.writers.llm_rewrite import Rewritten

_REPORTS = ("", ".html", ".htm", ".pdf", ".csv")  # the last of an audit only
_NO_TEXT = (*_REPORTS[1:], ".docx", ".doc", ".odt", ".xlsx")


def report_written(
    call: Given, *, output: File = "-", json_: Annotated[bool, AtPrompt(bool, "--json")] = False
) -> None:
    """A report as a page, as PDF, or its content as data.

    Args:
        output: The report, as .html or .pdf, of a crawl also .csv; - is standard output.
        json_: Write the content of the report as JSON.
    """
    from understandability.inputs.writing import check_is_no_input, write_bytes, write_text
    from understandability.writers.templates import printed

    options = call.keywords
    ending = Path(output).suffix.lower()
    is_pdf, is_csv = ending == ".pdf", ending == ".csv"
    if output == "-" and not json_ and sys.stdout.isatty():
        raise OptionError("the report is a page for a browser; name a file, such as -o report.html")
    if json_ and is_pdf:
        raise OptionError("--json does not write a report; name a .json file")
    if options.get("crawl") and options.get("compare"):
        raise OptionError("--crawl makes an audit of a site; leave out --compare")
    if is_csv and (json_ or not options.get("crawl")):
        raise OptionError("only the audit of a site, with --crawl, is made as CSV")
    check_is_no_input(output, options.get("inputs") or ())
    if not json_ and ending not in _REPORTS:
        raise OptionError(f"a report is .html or .pdf, not {ending}")
    made: Any = call(tell=say)  # an audit with --crawl, which alone is made as CSV
    if json_:
        text = json.dumps(made.to_json(), ensure_ascii=False, indent=1) + "\n"
    else:
        text = made.csv() if is_csv else made.html()
    if is_pdf:
        write_bytes(output, printed(text))
    else:
        write_text(output, text)


def rewritten(
    call: Given, *, output: File = "-", json_: Annotated[bool, AtPrompt(bool, "--json")] = False
) -> None:
    """Write the text with the accepted rewrites, or the facts that a rewrite loses.

    Args:
        output: The text, with each accepted rewrite in the place of its passage; with --check,
            the lost and new facts; - is standard output.
        json_: With --check: write the result as JSON.
    """
    from understandability.inputs.writing import check_is_no_input, write_text
    from understandability.writers.llm_rewrite import RewriteCheck
    from understandability.writers.templates import percent

    options = call.keywords
    check_is_no_input(
        output, [str(options[name]) for name in ("path", "check") if options.get(name)]
    )
    if json_ and not options.get("check"):
        raise OptionError("--json needs --check; without it, the result is the text")
    result: Rewritten | RewriteCheck = call()
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


def served(call: Given) -> Any:
    """Run the server, which prints its address."""
    return call()


def text_checked(
    call: Given,
    *,
    output: File = "-",
    format: Annotated[  # noqa: A002 - the name of the option
        str, AtPrompt(str, choices="writers.check_formats:FORMATS")
    ] = "text",
) -> None:
    """What misses its aim; status 1 if something does, or cannot be read.

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
    check_is_no_input(output, call.keywords["paths"])
    result: Checks = call()
    for remark in result.remarks:
        say(remark)
    write_text(output, f"{FORMATS[format](result)}\n")
    if result.misses or result.errors:
        raise SystemExit(1)
