"""From the bytes of a page to the tape of its tree, as libxml2 builds it."""

from collections.abc import Callable

from understandability._core.source import Tape

def read_tree(
    source: bytes,
    rule_of: Callable[[str], tuple[int, int, int, int, int]],
    resolve: Callable[[str], str],
) -> tuple[Tape, bytes] | None:
    """The tape of the tree that libxml2 2.14 makes of a source; the attributes of its root.

    `rule_of` tells of an element: its bit among those that others end (0 for none), the bits of
    those that its start ends, its level (0 to 7: an end tag ends none of a higher level), what it
    holds, and its role (see `understandability.text.tape`). `resolve` gives a text with its
    references resolved. None for a tree of more than 2,048 elements in each other. Raises
    `UnicodeDecodeError` for what is not UTF-8.
    """
