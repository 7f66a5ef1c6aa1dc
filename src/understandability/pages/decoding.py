"""Bytes to text, by the rules that browsers follow.

In this order, as in the WHATWG HTML standard ("determining the character encoding"): the byte
order mark, the HTTP header, ``<meta>`` in the first 1024 bytes; then UTF-8 if the bytes are
valid UTF-8, else windows-1252. A label that the standard does not know counts as none. Bytes
that the encoding cannot mean become U+FFFD. The whole file is never guessed at: that costs more
than everything else that is done with a page.
"""

from __future__ import annotations

import codecs
import re

from understandability.errors import PageError
from understandability.pages.labels import CODECS, encoding_of

# More than this many bytes (or characters) are refused: the memory of a process has to be bounded.
MAX_SIZE = 64 * 2**20

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16le"),
    (codecs.BOM_UTF16_BE, "utf-16be"),
)

# How files begin that are no text, and what to call them.
_SIGNATURES = (
    (b"%PDF-", "PDF"),
    (b"\x89PNG", "PNG"),
    (b"GIF8", "GIF"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh91AY", "bzip2"),
    (b"\xfd7zXZ", "xz"),
    (b"\x28\xb5\x2f\xfd", "Zstandard"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"PK\x03\x04", "ZIP or Office"),
    (b"Rar!", "RAR"),
    (b"\xd0\xcf\x11\xe0", "old Office"),
    (b"\x7fELF", "ELF"),
    (b"OggS", "Ogg"),
)

# Control characters that no text has (the "binary data bytes" of the WHATWG MIME standard, less
# NUL, which saved pages do contain, and escape, which starts the shifts of ISO-2022).
_BINARY = bytes(
    byte for byte in range(1, 0x20) if byte not in b"\t\n\x0b\f\r\x1a\x1b"
)
_SNIFFED = 4096
_MAX_BINARY_SHARE = 0.05

_META_CHARSET = re.compile(
    rb"""<meta\s[^>]*?charset\s*=\s*["']?\s*([^\s"'/>;]+)""", re.IGNORECASE
)
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_XML_DECLARATION = re.compile(rb"""^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"'>]+)["']""")


def decode(content: bytes | str, charset: str | None = None) -> tuple[str, str]:
    """The text of `content` and the encoding that it was in, as the standard names it.

    `charset` is the label of the HTTP header. Text that something else decoded already is
    checked and cleaned, its encoding is ``unicode``. NULs and lone surrogates, which neither
    parsers nor files can carry, do not survive.

    Raises `PageError` for what is no text (images, archives, PDF) and for more than `MAX_SIZE`.

    >>> decode(b"na\\xefve")
    ('naïve', 'windows-1252')
    >>> decode("naïve".encode(), charset="no such thing")
    ('naïve', 'utf-8')
    """
    if len(content) > MAX_SIZE:
        raise PageError(
            "decode",
            f"the page has {len(content) / 2**20:.0f} MB; at most {MAX_SIZE // 2**20} MB are read",
        )
    if isinstance(content, str):
        _refuse_binary(content[:_SNIFFED].encode("utf-8", "replace"))
        return _without_nuls(_without_surrogates(content)), "unicode"
    encoding = _marked(content) or _wide(content)
    if encoding is None:
        _refuse_binary(content[:_SNIFFED])
        encoding = _labelled(content, charset)
    if encoding is not None:
        return _without_nuls(content.decode(CODECS[encoding], "replace").removeprefix("\ufeff")), encoding
    try:
        return _without_nuls(content.decode("utf-8")), "utf-8"
    except UnicodeDecodeError:
        return _without_nuls(content.decode("cp1252", "replace")), "windows-1252"


def _marked(content: bytes) -> str | None:
    """The encoding that a byte order mark announces."""
    return next((name for mark, name in _BYTE_ORDER_MARKS if content.startswith(mark)), None)


def _wide(content: bytes) -> str | None:
    """UTF-16 without a byte order mark: every other byte of Western text is NUL."""
    head = content[:_SNIFFED]
    half = len(head) // 2
    if half < 2:
        return None
    for first, name in ((1, "utf-16le"), (0, "utf-16be")):
        nuls, others = head[first::2].count(0), head[1 - first :: 2].count(0)
        if nuls > 0.7 * half and others < 0.1 * half:
            return name
    return None


def _labelled(content: bytes, charset: str | None) -> str | None:
    """The encoding of the HTTP header or else of ``<meta>`` (or of an XML declaration)."""
    encoding = encoding_of(charset)
    if encoding is not None and not encoding.startswith("utf-16"):
        return encoding
    head = content[:1024]
    for pattern in (_META_CHARSET, _XML_DECLARATION):
        match = pattern.search(_COMMENT.sub(b"", head))
        encoding = encoding_of(match[1].decode("latin-1")) if match else None
        if encoding is not None:
            # Such a label could not have been read if it were true; the standard takes UTF-8.
            return "utf-8" if encoding.startswith("utf-16") else encoding
    return None


def _refuse_binary(head: bytes) -> None:
    for signature, name in _SIGNATURES:
        if head.startswith(signature):
            raise PageError(
                "decode", f"the content is {name} data; pages of HTML or plain text can be used"
            )
    odd = len(head) - len(head.translate(None, _BINARY + b"\0"))
    if odd > _MAX_BINARY_SHARE * len(head):
        raise PageError(
            "decode", "the content is binary data; pages of HTML or plain text can be used"
        )


def _without_nuls(text: str) -> str:
    return text.replace("\0", "") if "\0" in text else text


def _without_surrogates(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
