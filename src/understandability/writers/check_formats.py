"""Write the results of `check` as text, JSON, SARIF, GitHub annotations and Vale's JSON."""

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


def _verdict(file: Checked) -> str:
    flags = f"; {', '.join(file.flags)}" if file.flags else ""
    return (
        f"{100 * file.p_understandable:.0f} % of readers, target {100 * file.aim:.0f} %, "
        f"difficulty {file.difficulty:.0f}, {counted(file.words, 'word')}{flags}"
    )


def _whole(file: Checked) -> Finding:
    """Return a finding at the first line of a file, which says that the file misses its target."""
    return Finding("aim", f"misses its target: {_verdict(file)}", 1, 1, 1, 1)


def _summary(checks: Checks) -> str:
    """Summarise the results in one sentence: the files that reach, miss, or have no target."""
    n_missing, n_files, n_errors = len(checks.misses), len(checks.files), len(checks.errors)
    no_estimate = [f for f in checks.files if not f.error and math.isnan(f.p_understandable)]
    judged = [f for f in checks.files if not f.error and not math.isnan(f.p_understandable)]
    # Below target, but not harder than the baseline says.
    n_known = (
        0
        if checks.changed_from or checks.recorded
        else sum(
            file.p_understandable < file.aim and not file.misses and file.words >= SHORT_TEXT
            for file in judged
        )
    )
    n_short = sum(file.words < SHORT_TEXT for file in judged)
    if n_missing:
        text = f"{n_missing} of {counted(n_files, 'file')} "
        text += "misses its target" if n_files == 1 else "miss their target"
    elif checks.recorded:
        text = (
            f"the baseline records {counted(checks.recorded, 'file')} below target; such a file "
            "misses its target only if it gets harder"
        )
    elif len(judged) == n_files > 0:
        text = "the file reaches its target" if n_files == 1 else f"all {n_files} files pass"
    else:
        text = f"no file misses its target, of {counted(len(judged), 'file')} with an estimate"
    if n_known:
        text += f"; {n_known} below target {'is' if n_known == 1 else 'are'} in the baseline"
    text += f", {n_errors} cannot be read" if n_errors else ""
    if no_estimate:
        n = len(no_estimate)
        text += f", {n} ha{'s' if n == 1 else 've'} no estimate (no text in a language with one)"
    if foreign := sum(file.language not in ("", "en") for file in checks.misses):
        text += f"; sentences and terms are listed in English only, so not in {foreign} of them"
    if n_short:
        text += f", {n_short} {'is' if n_short == 1 else 'are'} too short to judge"
    return text


def text(checks: Checks) -> str:
    """Return one line for each file that misses its target or cannot be read, and for each finding
    in it.

    If only changed files were checked, return a Markdown table, to be posted as a comment on the
    change.
    """
    if checks.changed_from:
        return _comment(checks)
    lines = [f"{file.path}: cannot be read: {file.error}" for file in checks.errors]
    for file in checks.misses:
        lines.append(f"{file.path}: {_verdict(file)}")
        lines += [f"  {file.path}:{at.line}:{at.column}: {at.message}" for at in file.findings]
    return "\n".join([*lines, _summary(checks)])


def _comment(checks: Checks) -> str:
    def share(value: float, sign: str = "") -> str:
        return "–" if math.isnan(value) else f"{100 * value:{sign}.0f} %"

    def cell(value: str) -> str:
        return "".join(f"\\{sign}" if sign in "\\|`*_<>[]" else sign for sign in value)

    lines = ["| file | before | after | difference | target | |", "|---|--:|--:|--:|--:|---|"]
    for file in checks.files:
        state = cell(file.error) or ("misses" if file.misses else "")
        change = file.p_understandable - file.before
        lines.append(
            f"| {cell(file.path)} | {share(file.before)} | {share(file.p_understandable)} | "
            f"{share(change, '+')} | {share(file.aim)} | {state} |"
        )
    remarks = [
        f"- {cell(f'{file.path}:{at.line}')}: {cell(at.message)}"
        for file in checks.misses
        for at in file.findings
    ]
    blank = [""] if remarks else []
    return "\n".join([*(lines if checks.files else []), *blank, *remarks, "", _summary(checks)])


def as_json(checks: Checks) -> str:
    """Return all results as JSON: every file, its target, estimates and findings; NaN is null."""
    return json.dumps(plain_data({"files": checks.files}), ensure_ascii=False, indent=1)


def _located(path: str, at: Finding) -> dict[str, Any]:
    region = {"startLine": at.line, "startColumn": at.column, "endLine": at.end_line,
              "endColumn": at.end_column}  # fmt: skip
    uri = {"uri": quote(path)}
    return {"physicalLocation": {"artifactLocation": uri, "region": region}}


def sarif(checks: Checks) -> str:
    """Return SARIF 2.1.0 (OASIS 2020), the format in which code scanners upload results."""
    rules = list(RULES)
    results = [
        {
            "ruleId": at.rule,
            "ruleIndex": rules.index(at.rule),
            "level": "error" if at.rule == "aim" else "warning",
            "message": {"text": at.message},
            "locations": [_located(file.path, at)],
        }
        for file in checks.misses
        for at in (_whole(file), *file.findings)
    ]
    notifications = [
        {
            "level": "error",
            "message": {"text": file.error},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": quote(file.path)}}}],
        }
        for file in checks.errors
    ]
    driver = {
        "name": "understandability",
        "version": __version__,
        "rules": [{"id": rule, "shortDescription": {"text": RULES[rule]}} for rule in rules],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": not notifications,
                "toolExecutionNotifications": notifications,
            }
        ],
        "results": results,
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=1)


def github(checks: Checks) -> str:
    """Return GitHub workflow commands, which show a remark at each line."""

    def lines() -> Iterator[str]:
        for file in checks.errors:
            yield _command("error", file.path, replace(_whole(file), message=file.error))
        for file in checks.misses:
            yield _command("error", file.path, _whole(file))
            yield from (_command("warning", file.path, at) for at in file.findings)

    return "\n".join([*lines(), _summary(checks)])


def _command(level: str, path: str, at: Finding) -> str:
    def escaped(value: object, more: str = "") -> str:
        codes = {ord(sign): f"%{ord(sign):02X}" for sign in f"%\r\n{more}"}
        return str(value).translate(codes)

    # GitHub takes columns of one line only.
    one = f",endColumn={at.end_column}" if at.end_line == at.line else ""
    location = f"line={at.line},endLine={at.end_line},col={at.column}{one}"
    title = escaped(f"understandability: {at.rule}", ":,")
    return f"::{level} file={escaped(path, ':,')},{location},title={title}::{escaped(at.message)}"


def vale(checks: Checks) -> str:
    """Return Vale's JSON, which its editor extensions read; a span covers only the first line."""
    alerts: dict[str, list[dict[str, Any]]] = {}
    for file in checks.misses:
        for at in (_whole(file), *file.findings):
            end = at.end_column - 1 if at.end_line == at.line else at.column
            action = {"Name": "replace" if at.instead else "", "Params": list(at.instead) or None}
            alerts.setdefault(file.path, []).append(
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
