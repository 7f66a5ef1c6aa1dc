"""From the bytes of a page to the tape of its tree, as libxml2 builds it."""

from collections.abc import Callable

from understandability._core.source import Tape

def read_tree(
    source: bytes,
    rule_of: Callable[[str], tuple[int, int, int, int, int]],
    resolve: Callable[[str], str],
) -> tuple[Tape, bytes] | None:
    """Build the tape of the tree that libxml2 2.14 makes of a source.

    Args:
        source: The page.
        rule_of: Returns the rule of an element: the fields of `layout.ELEMENT_RULE`.
        resolve: Returns a text with its references resolved.

    Returns:
        The tape, and the attributes of the root. None for a tree deeper than 2,048 elements.

    Raises:
        UnicodeDecodeError: The source is not UTF-8.
    """
