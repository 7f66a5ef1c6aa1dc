"""An MCP server: assistants ask how a text reads before they show it. Needs the extra ``mcp``.

It opens no file and asks no network; it speaks over standard input and output.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from understandability._version import __version__
from understandability.errors import PageError, needing
from understandability.feature.batch import Batch
from understandability.model.readers import DEFAULT_READER
from understandability.prompt import AtPrompt
from understandability.scoring import Scorer, Settings, scorer_of
from understandability.text.analysis import document_of_text
from understandability.wording import plain_data
from understandability.writers.comparison import compare
from understandability.writers.explanation import Explanation, explain
from understandability.writers.levels import AIM, level_of
from understandability.writers.plain_terms.offers import EXPLAINED, offers

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

MOST_CHARACTERS = 200_000
_INSTRUCTIONS = (
    "Estimates how likely readers are to understand an English text, 0 to 1; texts for the public "
    f"should reach {AIM}. Write, call explain_text, change what gains most, and compare_texts. "
    "The estimate knows words and sentences, not whether a text is true: keep its meaning."
)


def server(scorer: Scorer) -> MCPServer:
    """The server with its tools; raises `MissingExtraError` where the package is missing.

    Its tools are `score_text`, `explain_text`, `compare_texts` and `plain_terms`.
    """
    with needing("the MCP server needs an optional package", ".[mcp]"):
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError

    def explained(text: str, steps: bool = True) -> Explanation:
        if len(text) > MOST_CHARACTERS:
            raise ToolError(
                f"the text has {len(text)} characters; at most {MOST_CHARACTERS} are read: cut it"
            )
        try:
            return explain(document_of_text(text), scorer, steps=steps)
        except PageError as error:
            raise ToolError(str(error)) from error

    def summary(found: Explanation) -> dict[str, Any]:
        each, level = found.estimate, level_of(found.estimate.level)
        return {
            "p_understandable": each.p_understandable,
            "aim": AIM,
            "difficulty": each.difficulty,
            "range": found.range,
            "level": level.name if level else None,
            "words": found.words,
            "flags": found.remarks,
        }

    def score_text(text: str) -> dict[str, Any]:
        """How likely readers are to understand a text, and how difficult it is (0 to 100)."""
        return dict(plain_data(summary(explained(text, steps=False))))

    def explain_text(text: str) -> dict[str, Any]:
        """What to change in a text, in order of gain: steps, hardest sentences, terms, words."""
        found = explained(text)
        pieces, every = found.document.pieces, found.sentences
        sentences = [every[number] for number in found.hardest]
        told = {
            **summary(found),
            "steps": found.steps.steps,
            "together": found.steps.together,
            "hardest_sentences": [
                {"text": " ".join(pieces[each.first : each.last]), "why": each.reasons}
                for each in sentences
            ],
            "terms": found.terms,
            "hard_words": found.hard_words,
            "abbreviations": found.abbreviations,
        }
        return dict(plain_data(told))

    def compare_texts(before: str, after: str) -> dict[str, Any]:
        """Whether a rewrite is easier than the text before it, and what changed."""
        old, new = explained(before, steps=False), explained(after, steps=False)
        found = compare(old, new)
        gain = new.estimate.p_understandable - old.estimate.p_understandable
        told = {"before": summary(old), "after": summary(new), "gain": gain,
                "changes": found.changes, "hard_words_gone": found.hard_words_gone,
                "hard_words_new": found.hard_words_new}  # fmt: skip
        return dict(plain_data(told))

    def plain_terms(text: str) -> dict[str, Any]:
        """The terms of a text for which there are plainer ones, with what to put in their place."""
        document = explained(text, steps=False).document
        (found,) = offers(Batch([document]))
        terms = [
            {"term": each.term, "plain": each.plain, "instead": each.texts, "note": each.note,
             "text": " ".join(document.pieces[each.first : each.last])}
            for each in found
            if each.note != EXPLAINED
        ]  # fmt: skip
        return dict(plain_data({"terms": terms}))

    made = MCPServer("understandability", instructions=_INSTRUCTIONS, version=__version__)
    for tool in (score_text, explain_text, compare_texts, plain_terms):
        made.add_tool(tool)
    return made


def serve(
    reader: Annotated[
        str, AtPrompt(str, "--reader", choices="model.readers:READERS")
    ] = DEFAULT_READER,
) -> None:
    """Let an assistant score, explain and compare texts, and find plain terms, over MCP.

    The assistant starts this command and sends it texts. It reads no file and uses no network.

    Example: understand mcp

    Raises `MissingExtraError` where the package ``mcp`` is not installed.

    Args:
        reader: For whom the estimates are, as for `score`.
    """
    server(scorer_of(Settings(reader=reader))).run()
