"""Fill HTML templates with escaped values, and print HTML to PDF with a browser."""

from __future__ import annotations

import base64
import hashlib
import math
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from understandability.errors import InputError
from understandability.resources import resource_text
from understandability.wording import counted

if TYPE_CHECKING:
    from jinja2 import Environment, Template

_PRINTER = "CHROMIUM"  # the variable that may name it
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
_SECONDS = 120
# Name of a template -> its resource.
_TEMPLATES = {
    f"{name}.html.jinja": f"report/{name}.html.jinja"
    for name in ("layout", "page", "comparison", "audit")
} | {"ask.html.jinja": "ask/page.html.jinja"}


def render(template: str, **values: Any) -> str:
    """Fill a template of the package, together with the shared style and script; values are
    escaped.
    """
    from markupsafe import Markup

    script = resource_text("report/switches.js")
    # Only the report's own script may run, nothing from a page.
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src {digest_source(script)}"
    style = Markup(resource_text("report/style.css"))
    return template_of(template).render(policy=policy, style=style, script=Markup(script), **values)


def digest_source(text: str) -> str:
    """Return the source of a content security policy that allows one inline script or style.

    >>> digest_source("alert(1)")[:12]
    "'sha256-bhHH"
    """
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def template_of(name: str) -> Template:
    """Return a template of the package, which escapes every value."""
    return _environment().get_template(name)


@cache
def _environment() -> Environment:
    from jinja2 import DictLoader, Environment, StrictUndefined

    environment = Environment(
        loader=DictLoader({name: resource_text(path) for name, path in _TEMPLATES.items()}),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    environment.filters |= {"number": number, "percent": percent, "counted": counted}
    environment.filters["easier"] = _easier
    return environment


def model_of(settings: Mapping[str, Any]) -> str:
    """Return the program and the model that made the estimates, with their versions."""
    return (
        f"understandability {settings['understandability']}, model {settings['bundle']}@"
        f"{settings['bundle_checksum'][:12]}"
    )


def number(value: float) -> str:
    """Format a number for readers: three digits, or all digits before the point; a dash for NaN.

    >>> number(12.345), number(1234.5), number(5.6e-11), number(math.nan)
    ('12.3', '1234', '≈ 0', '–')
    """
    if math.isnan(value):
        return "–"
    if 0 < abs(value) < 1e-4:
        return "≈ 0"
    return f"{value:.0f}" if value == round(value) or abs(value) >= 1000 else f"{value:.3g}"


def _easier(points: float) -> str:
    """Describe a decrease of the difficulty in words."""
    whole = round(points)
    return f"{counted(whole, 'point')} easier" if whole else "less than 1 point easier"


def percent(chance: float) -> str:
    r"""Format a probability for readers; never as 0 or 100 %, because no estimate is that certain.

    >>> percent(0.123), percent(0.001), percent(0.999)
    ('12\xa0%', 'less than 1\xa0%', 'more than 99\xa0%')
    """
    if math.isnan(chance):
        return "not known"
    said = "less than 1" if chance < 0.01 else f"{100 * chance:.0f}"
    return f"{'more than 99' if chance > 0.99 else said}\N{NO-BREAK SPACE}%"


def printed(html: str) -> bytes:
    """Print an HTML page to PDF with a browser.

    Uses the program named in the environment variable ``CHROMIUM``, or the first known browser on
    the path. Raises `InputError` if no browser is installed or printing fails.
    """
    named = os.environ.get(_PRINTER)
    program = (
        shutil.which(named) if named else next(filter(None, map(shutil.which, _BROWSERS)), None)
    )
    if program is None:
        raise InputError(
            f"PDF is printed by Chromium, Chrome or Edge, and {named or 'none of them'} was not "
            f"found; install one, name it in {_PRINTER}, or write .html and print that"
        )
    with tempfile.TemporaryDirectory() as folder:
        page, pdf = Path(folder, "report.html"), Path(folder, "report.pdf")
        page.write_text(html, "utf-8")
        command = [
            program, "--headless", "--disable-gpu", "--no-first-run", "--no-pdf-header-footer",
            "--disable-background-networking", f"--user-data-dir={folder}/profile",
            f"--print-to-pdf={pdf}", page.as_uri(),
        ]  # fmt: skip
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.insert(1, "--no-sandbox")  # root has no sandbox; the report runs nothing
        try:
            subprocess.run(command, capture_output=True, timeout=_SECONDS, check=True)
            return pdf.read_bytes()
        except (OSError, subprocess.SubprocessError) as error:
            raise InputError(
                f"{program} made no PDF ({type(error).__name__}); write .html and print that"
            ) from error
