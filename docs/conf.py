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
shutil.copy2(HERE.parent / "notebooks" / "report.png", TUTORIALS / "report.png")


def _link_to_gallery(app: Any, docname: str, source: list[str]) -> None:
    """In the source tree, pages link to the notebooks themselves; in the site, to their copies."""
    source[0] = re.sub(r"\]\((?:\.\./)+notebooks/", "](/tutorials/", source[0])


def _escape_globs(app: Any, what: str, name: str, of: Any, options: Any, lines: list[str]) -> None:
    """Commands in docstrings name files as ``runs/*.gz``, which is no emphasis."""
    lines[:] = [line.replace("/*", "/\\*") for line in lines]


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("source-read", _link_to_gallery)
    app.connect("autodoc-process-docstring", _escape_globs)
