"""What surrounds the code holds: the container file, the release, the README, examples to copy."""

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from tests.conftest import ROOT, Run

import understandability

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
STEPS = [
    line.split(maxsplit=1)
    for line in (ROOT / "Dockerfile").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]


def arguments(instruction: str) -> list[str]:
    """What stands after each use of an instruction, in order."""
    return [rest for name, rest in STEPS if name == instruction]


def test_the_image_is_a_slim_python_that_the_package_takes() -> None:
    """Of a minor version and a Debian, so that it is the same tomorrow."""
    images = {image.partition(" AS ")[0] for image in arguments("FROM")}
    (image,) = images
    found = re.fullmatch(r"python:3\.(\d+)-slim-[a-z]+", image)
    assert found
    assert PROJECT["project"]["requires-python"] == ">=3.11"
    assert int(found[1]) >= 11


def test_the_image_copies_what_the_wheel_is_built_from() -> None:
    """Paths that are there, with all that the build reads."""
    copied = {
        path
        for each in arguments("COPY")
        if not each.startswith("--from")
        for path in each.split()[:-1]
    }
    assert all((ROOT / path).exists() for path in copied)
    build = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    read = [*build["packages"], *build["force-include"], *PROJECT["project"]["license-files"]]
    fragments = PROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["fragments"]
    read += [fragment["path"] for fragment in fragments]
    assert {path.split("/")[0] for path in read} | {"pyproject.toml", "hatch_build.py"} == copied


def test_the_image_runs_a_command_that_exists_and_not_as_root() -> None:
    """With options that the command has, on the port that it says."""
    command, name, *options = json.loads(arguments("ENTRYPOINT")[0])
    assert command in PROJECT["project"]["scripts"]
    assert arguments("USER") == ["nobody"]
    section = (ROOT / "docs" / "commands" / f"{name}.md").read_text("utf-8")
    assert section.startswith(f"# {command} {name}\n")
    assert all(f"`{option}" in section for option in options if option.startswith("--"))
    assert f"`--port NUMBER` (default `{arguments('EXPOSE')[0]}`)" in section
    assert arguments("HEALTHCHECK")
    assert "token" not in " ".join(options)  # the list of processes would show it
    extras = re.findall(r"\.\[(\w+)\]", " ".join(arguments("RUN")))
    assert set(extras) <= set(PROJECT["project"]["optional-dependencies"])


def test_a_release_has_notes_of_its_version() -> None:
    """As the workflow cuts them from the CHANGELOG, and in the form of Keep a Changelog.

    A version that is being made (``.dev0``) has its notes under "Unreleased" until it is one.
    """
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    version = re.findall(r"^## (\d\S+) - ", changelog, re.MULTILINE)[0]
    if ".dev" in understandability.__version__:
        assert "\n## Unreleased\n" in changelog
    else:
        assert version == understandability.__version__
    workflow = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
    (line,) = re.findall(r"^ +(awk .*) > notes\.md$", workflow, re.MULTILINE)
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=ROOT,
        env={"GITHUB_REF_NAME": f"v{version}", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    heading, *notes = done.stdout.splitlines()
    assert re.fullmatch(rf"## {re.escape(version)} - \d{{4}}-\d\d-\d\d", heading)
    kinds = [note.removeprefix("### ") for note in notes if note.startswith("### ")]
    assert kinds
    assert set(kinds) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert not any(note.startswith("## ") for note in notes)


def test_the_source_distribution_is_complete() -> None:
    """It has every file at the top, but for what only git reads."""
    if not (ROOT / ".git").exists():
        pytest.skip("needs the checkout")
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    top = {path.partition("/")[0] for path in done.stdout.splitlines()}
    included = PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    named = {path.strip("/") for path in included}
    assert top - {".gitignore", "pyproject.toml"} == named


CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
EXAMPLES = dict(
    re.findall(r"<!-- example: (\w+) -->\n```python\n(.*?)```", CONTRIBUTING, re.DOTALL)
)


def test_contributing_has_an_example_for_each() -> None:
    assert set(EXAMPLES) == {"feature", "measure", "extractor", "format", "language"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_of_contributing_runs(name: str) -> None:
    assert "assert " in EXAMPLES[name]
    exec(compile(EXAMPLES[name], name, "exec"), {"__name__": name})


README = (ROOT / "README.md").read_text("utf-8")


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= 120
    assert len(README.encode()) <= 9_000


def test_links_of_the_readme_are_relative_to_this_folder() -> None:
    """So that they hold in a checkout; a package index gets absolute ones (pyproject.toml)."""
    links = re.findall(r"\]\((?!https?:)([^)#]+)", README)
    assert len(links) >= 15
    for link in links:
        assert (ROOT / link).stat().st_size < 250_000, link


def test_the_readme_has_a_start_for_each_reader() -> None:
    for page in ("search", "research", "models", "writing"):
        assert f"(docs/start/{page}.md)" in README


def test_the_citation_is_of_this_version() -> None:
    text = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\nversion: {understandability.__version__}\n" in text
    for title in ("Understandability Biased Evaluation", "Consumer Health Search on the Web"):
        assert title in text


OWN_USER_MODEL = (ROOT / "docs" / "howto" / "own_user_model.md").read_text("utf-8")
EXAMPLES_OF_USER_MODEL = re.findall(r"(?s)```python\n(.*?)```", OWN_USER_MODEL)


@pytest.mark.parametrize("example", EXAMPLES_OF_USER_MODEL)
def test_examples_of_an_own_user_model_hold(example: str) -> None:
    assert "assert" in example
    exec(example, {})


def test_the_command_of_an_own_user_model_runs(tmp_path: Path, understand: Run) -> None:
    (tmp_path / "mine.run").write_text("q1 Q0 d1 1 2 mine\nq1 Q0 d2 2 1 mine\n")
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq1 0 d2 1\n")
    (tmp_path / "chances.csv").write_text("docno,chance\nd1,0.3\nd2,0.9\n")
    done = understand(
        "evaluate", "mine.run", "--qrels", "qrels.txt", "--understandability", "chances.csv",
        "--scale", "higher-easier:0..1", "-m", "uRBP(p=0.5,user=graded)@2", cwd=tmp_path,
        status=0,
    )  # fmt: skip
    assert "0.375" in done.stdout
