"""An MCP server, so that an assistant can check its texts. Requires the extra ``mcp``.

The server opens no file and uses no network; it speaks over standard input and output.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from understandability._version import __version__
from understandability.errors import PageError, needing
from understandability.feature.batch import Batch
from understandability.model.readers import DEFAULT_READER, reader_names
from understandability.scoring import Scorer, Settings, scorer_of
from understandability.text.analysis import document_of_text
from understandability.wording import plain_data
from understandability.writers.comparison import compare
from understandability.writers.explain import explain_document
from understandability.writers.explanation import Explanation
from understandability.writers.levels import AIM, level_of
from understandability.writers.llm_rewrite import check_rewrite as facts_checked
from understandability.writers.plain_terms.offers import EXPLAINED, offers

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

MOST_CHARACTERS = 200_000
_INSTRUCTIONS = (
    "Estimates which share of readers understands an English text, 0 to 1; texts for the public "
    f"should reach {AIM}. Loop: write, call explain_text, change what gains most, call "
    "check_rewrite, and restore every fact that it reports as lost. The estimate judges words and "
    "sentences, not truth; check_rewrite compares facts. Show facts that stay lost to a person."
)


def server(scorer: Scorer) -> MCPServer:
    """Return the MCP server with its tools.

    The tools are `score_text`, `explain_text`, `compare_texts`, `check_rewrite` and `plain_terms`.
    Raises `MissingExtraError` if the package ``mcp`` is not installed.
    """
    with needing("the MCP server needs an optional package", ".[mcp]"):
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError

    def check_length(text: str) -> None:
        if len(text) > MOST_CHARACTERS:
            raise ToolError(
                f"expected at most {MOST_CHARACTERS} characters, found {len(text)}; send a part"
            )

    def explained(text: str, steps: bool = True) -> Explanation:
        check_length(text)
        try:
            return explain_document(document_of_text(text), scorer, steps=steps)
        except PageError as error:
            raise ToolError(str(error)) from error

    def summary(explanation: Explanation) -> dict[str, Any]:
        estimate = explanation.estimate
        level = level_of(estimate.level)
        return {
            "p_understandable": estimate.p_understandable,
            "aim": AIM,
            "difficulty": estimate.difficulty,
            "range": explanation.range,
            "level": level.name if level else None,
            "words": explanation.words,
            "flags": explanation.remarks,
        }

    def score_text(text: str) -> dict[str, Any]:
        """Estimate the share of readers who understand a text, and its difficulty (0 to 100)."""
        return dict(plain_data(summary(explained(text, steps=False))))

    def explain_text(text: str) -> dict[str, Any]:
        """List what to change in a text, largest gain first: steps, hardest sentences, terms,
        words.
        """
        explanation = explained(text)
        pieces, sentences = explanation.document.pieces, explanation.sentences
        hardest = [sentences[number] for number in explanation.hardest]
        data = {
            **summary(explanation),
            "steps": explanation.steps.steps,
            "together": explanation.steps.together,
            "hardest_sentences": [
                {"text": " ".join(pieces[sentence.first : sentence.last]), "why": sentence.reasons}
                for sentence in hardest
            ],
            "terms": explanation.terms,
            "hard_words": explanation.hard_words,
            "abbreviations": explanation.abbreviations,
        }
        return dict(plain_data(data))

    def compare_texts(before: str, after: str) -> dict[str, Any]:
        """Compare a rewrite with the original: the gain in P(U|d), and what changed."""
        old, new = explained(before, steps=False), explained(after, steps=False)
        comparison = compare(old, new)
        data = {
            "before": summary(old),
            "after": summary(new),
            "gain": new.estimate.p_understandable - old.estimate.p_understandable,
            "changes": comparison.changes,
            "hard_words_gone": comparison.hard_words_gone,
            "hard_words_new": comparison.hard_words_new,
        }
        return dict(plain_data(data))

    def check_rewrite(before: str, after: str) -> dict[str, Any]:
        """List the facts that a rewrite loses, changes or adds.

        Facts are numbers, doses, times, medicines, symptoms, parts of the body, people, names,
        limits, conditions, list items, and each "not" and "must". If `faithful` is false, restore
        what is lost, or let a person accept it.
        """
        check_length(before)
        check_length(after)
        return facts_checked(before, after, scorer).to_json()

    def plain_terms(text: str) -> dict[str, Any]:
        """List the terms of a text that have plainer alternatives, and the alternatives."""
        document = explained(text, steps=False).document
        (offered,) = offers(Batch([document]))
        terms = [
            {
                "term": offer.term,
                "plain": offer.plain,
                "instead": offer.texts,
                "note": offer.note,
                "text": " ".join(document.pieces[offer.first : offer.last]),
            }
            for offer in offered
            if offer.note != EXPLAINED
        ]
        return dict(plain_data({"terms": terms}))

    mcp_server = MCPServer("understandability", instructions=_INSTRUCTIONS, version=__version__)
    for tool in (score_text, explain_text, compare_texts, check_rewrite, plain_terms):
        mcp_server.add_tool(tool)
    return mcp_server


def serve(
    reader: Annotated[str, Parameter("--reader", completer=reader_names)] = DEFAULT_READER,
) -> None:
    """Let an assistant score, explain and compare texts, check rewrites, and find plain terms.

    The assistant starts this command as an MCP server and sends it texts. It reads no file and
    uses no network.

    Example: understand mcp

    Args:
        reader: For whom the estimates are, as for `score`.

    In Python:
        Raises `MissingExtraError` if the package ``mcp`` is not installed.
    """
    server(scorer_of(Settings(reader=reader))).run()
