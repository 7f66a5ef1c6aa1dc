"""What `check` found, as people, GitHub, Vale's editors and scanners of code read it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from understandability._version import __version__
from understandability.wording import counted, plain_data
from understandability.writers.check import RULES, SHORT_TEXT, Checked, Checks, Finding


def _verdict(each: Checked) -> str:
    flags = f"; {', '.join(each.flags)}" if each.flags else ""
    return (
        f"chance {100 * each.p_understandable:.3g} %, aim {100 * each.aim:.3g} %, difficulty "
        f"{each.difficulty:.0f}, {counted(each.words, 'word')}{flags}"
    )


def _whole(each: Checked) -> Finding:
    """The miss itself, told of the first line."""
    return Finding("aim", f"misses its aim: {_verdict(each)}", 1, 1, 1, 1)


def _summary(checks: Checks) -> str:
    unread, size = len(checks.errors), len(checks.files)
    unknown = sum(not f.error and math.isnan(f.p_understandable) for f in checks.files)
    short = sum(f.words < SHORT_TEXT and not math.isnan(f.p_understandable) for f in checks.files)
    told = f"{len(checks.misses)} of {counted(size, 'file')} "
    told += "misses its aim" if size == 1 else "miss their aim"
    told += f", {unread} cannot be read" if unread else ""
    told += f", {unknown} ha{'s' if unknown == 1 else 've'} no estimate" if unknown else ""
    told += " (no English text)" if unknown else ""
    return told + (f", {short} {'is' if short == 1 else 'are'} too short to judge" if short else "")


def text(checks: Checks) -> str:
    """A line for each file that misses or cannot be read, and one for each place in it.

    Of changed files, a table in Markdown, as a comment on the change.
    """
    if checks.changed_from:
        return _comment(checks)
    lines = [f"{each.path}: cannot be read: {each.error}" for each in checks.errors]
    for each in checks.misses:
        lines.append(f"{each.path}: {_verdict(each)}")
        lines += [f"  {each.path}:{at.line}:{at.column}: {at.message}" for at in each.findings]
    return "\n".join([*lines, _summary(checks)])


def _comment(checks: Checks) -> str:
    def number(value: float, form: str = ".2f") -> str:
        return "–" if math.isnan(value) else format(value, form)

    def cell(value: str) -> str:
        return "".join(f"\\{each}" if each in "\\|`*_<>[]" else each for each in value)

    lines = ["| file | before | after | difference | aim | |", "|---|--:|--:|--:|--:|---|"]
    for each in checks.files:
        state = cell(each.error) or ("misses" if each.misses else "")
        change = each.p_understandable - each.before
        lines.append(
            f"| {cell(each.path)} | {number(each.before)} | {number(each.p_understandable)} | "
            f"{number(change, '+.2f')} | {each.aim:.2f} | {state} |"
        )
    places = [
        f"- {cell(f'{each.path}:{at.line}')}: {cell(at.message)}"
        for each in checks.misses
        for at in each.findings
    ]
    blank = [""] if places else []
    return "\n".join([*(lines if checks.files else []), *blank, *places, "", _summary(checks)])


def as_json(checks: Checks) -> str:
    """All files with all that is known; NaN is null."""
    return json.dumps(plain_data({"files": checks.files}), ensure_ascii=False, indent=1)


def _located(path: str, at: Finding) -> dict[str, Any]:
    region = {"startLine": at.line, "startColumn": at.column, "endLine": at.end_line,
              "endColumn": at.end_column}  # fmt: skip
    uri = {"uri": quote(path)}
    return {"physicalLocation": {"artifactLocation": uri, "region": region}}


def sarif(checks: Checks) -> str:
    """SARIF 2.1.0, as scanners of code upload it (OASIS 2020)."""
    rules = list(RULES)
    results = [
        {
            "ruleId": at.rule,
            "ruleIndex": rules.index(at.rule),
            "level": "error" if at.rule == "aim" else "warning",
            "message": {"text": at.message},
            "locations": [_located(each.path, at)],
        }
        for each in checks.misses
        for at in (_whole(each), *each.findings)
    ]
    told = [
        {
            "level": "error",
            "message": {"text": each.error},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": quote(each.path)}}}],
        }
        for each in checks.errors
    ]
    driver = {
        "name": "understandability",
        "version": __version__,
        "rules": [{"id": each, "shortDescription": {"text": RULES[each]}} for each in rules],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": not told, "toolExecutionNotifications": told}],
        "results": results,
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=1)


def github(checks: Checks) -> str:
    """Commands of GitHub's workflows, which put a remark at each line."""

    def lines() -> Iterator[str]:
        for each in checks.errors:
            yield _command("error", each.path, replace(_whole(each), message=each.error))
        for each in checks.misses:
            yield _command("error", each.path, _whole(each))
            yield from (_command("warning", each.path, at) for at in each.findings)

    return "\n".join([*lines(), _summary(checks)])


def _command(kind: str, path: str, at: Finding) -> str:
    def escaped(value: object, more: str = "") -> str:
        codes = {ord(each): f"%{ord(each):02X}" for each in f"%\r\n{more}"}
        return str(value).translate(codes)

    # GitHub takes columns of one line only.
    one = f",endColumn={at.end_column}" if at.end_line == at.line else ""
    place = f"line={at.line},endLine={at.end_line},col={at.column}{one}"
    title = escaped(f"understandability: {at.rule}", ":,")
    return f"::{kind} file={escaped(path, ':,')},{place},title={title}::{escaped(at.message)}"


def vale(checks: Checks) -> str:
    """The JSON of Vale, which its extensions of editors read; a span is of the first line."""
    alerts: dict[str, list[dict[str, Any]]] = {}
    for each in checks.misses:
        for at in (_whole(each), *each.findings):
            end = at.end_column - 1 if at.end_line == at.line else at.column
            action = {"Name": "replace" if at.instead else "", "Params": list(at.instead) or None}
            alerts.setdefault(each.path, []).append(
                {
                    "Action": action,
                    "Span": [at.column, max(end, at.column)],
                    "Check": f"understandability.{at.rule}",
                    "Description": "",
                    "Link": "",
                    "Message": at.message,
                    "Severity": "error" if at.rule == "aim" else "warning",
                    "Match": at.text,
                    "Line": at.line,
                }
            )
    return json.dumps(alerts, ensure_ascii=False, indent=1)


# What `understand check --format` takes.
FORMATS: Mapping[str, Callable[[Checks], str]] = {
    "text": text, "json": as_json, "sarif": sarif, "github": github, "vale": vale,
}  # fmt: skip
