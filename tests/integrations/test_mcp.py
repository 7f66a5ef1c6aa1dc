"""The MCP server, called by the client of the official package."""

import asyncio
import sys
from typing import Any

import pytest
from tests.conftest import Run

from understandability.integrations.mcp import MOST_CHARACTERS, server
from understandability.scoring import Settings, scorer_of

HARD = "He had a myocardial infarction last year."


def _asked(*calls: tuple[str, dict[str, str]]) -> list[Any]:
    mcp = pytest.importorskip("mcp", reason="needs the extra mcp")

    async def ask() -> list[Any]:
        async with mcp.Client(server(scorer_of(Settings()))) as client:
            names = [each.name for each in (await client.list_tools()).tools]
            assert names == [
                "score_text",
                "explain_text",
                "compare_texts",
                "check_rewrite",
                "plain_terms",
            ]
            return [await client.call_tool(*call) for call in calls]

    return asyncio.run(ask())


@pytest.mark.usefixtures("every_plain_term")
def test_the_tools_answer() -> None:
    """What is easy, what to change, whether a rewrite helps, and what to say instead."""
    easy = "He had a heart attack last year."
    score, explained, compared, facts, terms = (
        each.structured_content
        for each in _asked(
            ("score_text", {"text": easy}),
            ("explain_text", {"text": HARD}),
            ("compare_texts", {"before": HARD, "after": easy}),
            ("check_rewrite", {"before": HARD, "after": "He was ill last year."}),
            ("plain_terms", {"text": HARD}),
        )
    )
    assert score["p_understandable"] > score["aim"] == 0.8
    assert explained["p_understandable"] < 0.8
    assert explained["steps"][0]["points"] >= explained["steps"][-1]["points"] > 0
    assert compared["gain"] > 0.15
    assert compared["hard_words_gone"] == ["infarction", "myocardial"]
    assert not facts["faithful"]
    assert facts["lost"][0]["text"] == "myocardial infarction"
    assert terms["terms"][0]["plain"] == ["heart attack"]


def test_a_text_is_bounded() -> None:
    """One that is too long is refused, with what is allowed; one without words has no estimate."""
    long, empty = _asked(
        ("score_text", {"text": "a" * (MOST_CHARACTERS + 1)}), ("score_text", {"text": ""})
    )
    assert long.is_error
    assert "at most 200000" in long.content[0].text
    assert empty.structured_content["p_understandable"] is None


def test_the_missing_package_is_named(understand: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    done = understand("mcp", status=2)
    assert "pip install '.[mcp]'" in done.stderr
