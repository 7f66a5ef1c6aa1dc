"""The documentation site: ``sphinx-build -W docs build/docs``, without any network."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

from understandability import __version__

HERE = Path(__file__).parent

project = "understandability"
author = "The authors of understandability"
copyright = author  # noqa: A001 - the name that Sphinx reads
version = release = __version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
exclude_patterns = ["README.md"]
html_theme = "furo"
html_title = f"understandability {__version__}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["filter.js"]  # a search field above long tables

# Notebooks show the outputs that they hold; scripts/docs/run_notebooks.py executes them.
nb_execution_mode = "off"
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
suppress_warnings = ["myst.strikethrough", "misc.highlighting_failure"]

autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_member_order = "bysource"
add_module_names = False
# Packages that are extras; their modules are documented all the same.
autodoc_mock_imports = ["pyterrier"]
default_role = "code"

# The gallery: copies, so that notebooks stay where people look for them.
TUTORIALS = HERE / "tutorials"
for notebook in sorted((HERE.parent / "notebooks").glob("*.ipynb")):
    shutil.copy2(notebook, TUTORIALS / notebook.name)


# What people type into the search field, by the page that answers it under another title.
SOUGHT = {
    "commands/score": ["resume"],
    "concepts/extraction": ["boilerplate"],
    "concepts/measures": ["rbp", "urbp", "ndcg"],
    "concepts/understanding": ["cefr", "probability"],
    "evaluation": ["significance", "p-value", "t-test"],
    "glossary": ["cefr", "terms"],
    "howto/crawl": ["warc", "resume", "common crawl"],
    "howto/editor": ["hard words", "passive", "colours", "privacy"],
    "questions": [
        *["faq", "troubleshooting", "problems", "help", "privacy", "command not found", "accuracy"],
        *["good score", "reading age", "grade level", "lexile", "hemingway", "cost", "price"],
    ],
    "quality/index": ["accuracy", "validity", "benchmark"],
    "readability_formulas": ["grade level", "reading grade"],
    "reference/measures": ["rbp", "ndcg", "map", "mrr"],
    "howto/rewriting": ["plain language"],
    "start/install": ["upgrade", "update", "setup", "download"],
    "start/writing": ["plain language", "health literacy"],
    "start/number": ["good score", "audit", "report", "kpi"],
}


def _add_sought(app: Any, docname: str, source: list[str]) -> None:
    """Entries of the index, which the search looks through as well."""
    entries = "\n".join(f"   ! single: {words}" for words in SOUGHT.get(docname, ()))
    if entries:
        source[0] += f"\n```{{eval-rst}}\n.. index::\n{entries}\n```\n"


def _link_to_gallery(app: Any, docname: str, source: list[str]) -> None:
    """In the source tree, pages link to the notebooks themselves; in the site, to their copies."""
    source[0] = re.sub(r"\]\((?:\.\./)+notebooks/", "](/tutorials/", source[0])


def _escape_globs(app: Any, what: str, name: str, of: Any, options: Any, lines: list[str]) -> None:
    """Commands in docstrings name files as ``runs/*.gz``, which is no emphasis."""
    lines[:] = [line.replace("/*", "/\\*") for line in lines]


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("source-read", _add_sought)
    app.connect("source-read", _link_to_gallery)
    app.connect("autodoc-process-docstring", _escape_globs)
