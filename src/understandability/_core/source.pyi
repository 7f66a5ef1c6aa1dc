"""From the bytes of a page to its tape: texts and the tags between them."""

from collections import Counter
from collections.abc import Callable, Mapping

def has_controls(content: bytes) -> bool:
    """Whether bytes below the space are there, other than tabs, line feeds and returns."""

def is_utf8(content: bytes) -> bool:
    """Whether bytes are text in UTF-8."""

def values(source: bytes, quote: bytes, length: int) -> list[tuple[int, int]]:
    """Stretches of at least `length` bytes (but at the end) without a quote: start, end of each.

    They begin right behind an equals sign and a quote, and end at the next or at the source's end.
    """

class Tape:
    """A page's markup: texts and the tags between them, packed.

    `names` are the different tags: ``p`` opens, ``/p`` closes, ``br/`` is an element without
    content, and ``""`` a comment, script or style. Made of a list that alternates texts and tags.
    """

    names: list[str]
    def __init__(self, pieces: list[str] = ...) -> None: ...
    def __len__(self) -> int:
        """The number of tags."""

    def tag(self, place: int) -> str:
        """The tag at a place; raises `IndexError` where none is."""

    def pieces(self) -> list[str]:
        """Texts (possibly empty) and tags in turn, as the tape is made of."""

    def counts(self) -> Counter[str]:
        """How often each tag is there."""

    def place_of(self, tag: str) -> int:
        """Where a tag comes first among the tags; -1 if it does not."""

    def text_behind(self, place: int) -> str:
        """The text behind a tag; raises `IndexError` for a place that no tag has."""

    def long_texts(self, least: int, enough: int, without: frozenset[str]) -> str:
        """Texts of at least so many characters behind tags that are not among some.

        With a space between, and up to the first with which they have `enough` characters.
        """

def cut(
    source: bytes,
    normal: Callable[[bytes], str],
    unescape: Callable[[str], str],
    sections: frozenset[str],
    hints_of: Mapping[str, str],
    mended: tuple[bytes, ...],
    hides: Mapping[str, bool],
    hidden: str,
) -> tuple[Tape, dict[int, str], list[bytes]] | None:
    """The tape of a source, what the attributes of sections tell, those of each ``html``.

    `normal` gives the tag for one as it is written, `unescape` a text with its references resolved.
    Of a tag in `sections` that has a class or id, `hints_of` says what these tell; that comes by
    the place of the tag among the tags if it is not ``""``. An element that is not shown has the
    hint `hidden`; `hides` maps the attributes of a tag to True if it is such an element. An ``a``
    without an address, or closed at once, is the tag ``a/``. None if a comment
    or one of the elements of `mended`, in small letters, is never closed, or if the quotes are a
    tangle that takes too long. Raises `UnicodeDecodeError` for what is not UTF-8.
    """
