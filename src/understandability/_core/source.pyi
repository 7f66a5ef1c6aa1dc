"""From the bytes of a page to its tape: texts and the tags between them. Sources are UTF-8."""

from collections import Counter
from collections.abc import Callable, Mapping

def has_controls(content: bytes) -> bool:
    """Return True if there are control characters other than tabs, line feeds and returns."""

def is_utf8(content: bytes) -> bool:
    """Return True if the bytes are valid UTF-8."""

def may_combine(content: bytes) -> bool:
    """Return True if UTF-8 may have characters that combine with the one before them.

    These are combining accents, and marks of Arabic, Korean and Japanese.
    """

def values(source: bytes, quote: bytes, length: int) -> list[tuple[int, int]]:
    """Return the spans of attribute values of at least `length` bytes: start and end.

    A value begins after an equals sign and a quote. It ends at the next such quote, or at the end
    of the source, where it may be shorter.
    """

def start_tags(source: bytes, names: tuple[bytes, ...]) -> list[tuple[str, bytes]]:
    """Return the name, in lower case, and the attributes of each start tag with one of the names.

    The attributes end at the first bracket, even if it is inside a value.
    """

class Tape:
    """A page's markup: texts and the tags between them, packed.

    `names` are the distinct tags: ``p`` opens an element, ``/p`` closes it, ``br/`` is an element
    without content, and ``""`` is a comment, script or style. The constructor accepts a list that
    alternates texts and tags, and begins and ends with a text.
    """

    names: list[str]
    def __init__(self, pieces: list[str] = ...) -> None: ...
    def __len__(self) -> int:
        """Return the number of tags."""

    def tag(self, place: int) -> str:
        """Return a tag by its index; raise `IndexError` if there is none."""

    def pieces(self) -> list[str]:
        """Return texts (which may be empty) and tags, interleaved."""

    def counts(self) -> Counter[str]:
        """Return the number of occurrences of each tag."""

    def place_of(self, tag: str) -> int:
        """Return the index of the first occurrence of a tag; -1 if there is none."""

    def text_behind(self, place: int) -> str:
        """Return the text after a tag; raise `IndexError` if there is no such tag."""

    def long_texts(self, least: int, enough: int, without: frozenset[str]) -> str:
        """Join texts of at least `least` characters by spaces, until they have `enough`.

        Texts after the tags in `without` are skipped.
        """

def cut(
    source: bytes,
    normal: Callable[[bytes], str],
    unescape: Callable[[str], str],
    sections: frozenset[str],
    hints_of: Mapping[str, str],
    claiming: frozenset[str],
    mended: tuple[bytes, ...],
    hides: Mapping[str, bool],
    hidden: str,
) -> tuple[Tape, dict[int, str], list[tuple[str, bytes]]] | None:
    """Split a source into texts and tags.

    Args:
        source: The page, without control characters.
        normal: Returns the name of a tag, given as it is written.
        unescape: Returns a text with its references resolved.
        sections: The tags whose class and id are read.
        hints_of: Maps the class and id of such a tag to a hint, or to ``""``.
        claiming: The tags whose attributes are returned.
        mended: The elements, in lower case, that must be closed.
        hides: Maps the attributes of a tag to True if they hide its element.
        hidden: The hint of a hidden element.

    Returns:
        The tape; the hints by the index of the tag; and the tag and attributes of each of
        `claiming` that has attributes. An ``a`` without an address, or closed at once, is the tag
        ``a/``. None if a comment or an element of `mended` is not closed, or if finding the ends of
        tags takes too long.

    Raises:
        UnicodeDecodeError: The source is not UTF-8.
    """
