"""`python -m scripts.reproduce` names the data that are missing and where they are published."""

import sys
from pathlib import Path

import pytest
from scripts.reproduce import __main__ as reproduce


def test_missing_data_are_named_with_their_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = ["--data", str(tmp_path / "data"), "--published", str(tmp_path / "printed")]
    monkeypatch.setattr(sys, "argv", ["reproduce", *folders])
    with pytest.raises(SystemExit, match="missing data") as error:
        reproduce.main()
    message = str(error.value)
    assert str(tmp_path / "data" / "clef" / "clef2015") in message
    assert "https://github.com/CLEFeHealth/" in message
    assert str(tmp_path / "printed") in message


def test_nothing_is_missing_where_all_folders_are(tmp_path: Path) -> None:
    for name in reproduce.SOURCES:
        (tmp_path / name).mkdir(parents=True)
    assert reproduce.missing_sources(tmp_path, tmp_path) == []
