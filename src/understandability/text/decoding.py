"""Bytes to text, by the rules that browsers follow.

In this order, as in the WHATWG HTML standard ("determining the character encoding"): the byte
order mark, the HTTP header, ``<meta>`` in the first 1024 bytes; then UTF-8 if the bytes are
valid UTF-8, else windows-1252. A label that the standard does not know counts as none. Bytes
that the encoding cannot mean become U+FFFD. The file is never guessed at beyond that, because
guessing costs more than everything else that is done with a page.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from understandability import _core
from understandability.errors import PageError
from understandability.text.encodings import CODECS, encoding_of

# More than this many bytes (or characters) are refused: at this size a page takes about one
# second, and up to 400 MB.
MAX_SIZE = 12_000_000

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
    (b"Rar!\x1a", "RAR"),
    (b"\xd0\xcf\x11\xe0", "old Office"),
    (b"\x7fELF", "ELF"),
    (b"OggS", "Ogg"),
)

# Control characters that text has no use for. NUL vanishes, line and form feeds are white space,
# the rest becomes U+FFFD: parsers and files carry none of them safely.
_CONTROLS = [chr(code) for code in range(0x20) if chr(code) not in "\t\n\r"]
_CONTROL_BYTES = [character.encode() for character in _CONTROLS]
_REPLACED = dict.fromkeys(_CONTROLS, "\ufffd") | {"\0": "", "\x0b": "\n", "\x0c": "\n"}

# Content whose beginning is full of control characters is no text; escape and shift do not count,
# which ISO-2022 uses.
_SNIFFED = 4096
_BINARY = "".join(_CONTROLS).translate(dict.fromkeys(map(ord, "\x0b\x0c\x0e\x0f\x1b"))).encode()
_MAX_BINARY_SHARE = 0.05
_MAX_BINARY = 8

_META_CHARSET = re.compile(rb"""<meta\s[^>]*?charset\s*=\s*["']?\s*([^\s"'/>;]+)""", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"""\A\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"'>]+)["']""")
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)


class Decoded(NamedTuple):
    """Text, the encoding that it was in, and the same text in UTF-8."""

    text: str
    encoding: str
    utf8: bytes


def decode(content: bytes | str, charset: str | None = None) -> Decoded:
    """The text of `content`, and the encoding that it was in as the standard names it.

    `charset` is the label of the HTTP header. The encoding of text that was decoded before is
    ``unicode``. Control characters and lone surrogates do not survive.

    Raises `PageError` for what is no text (images, archives, PDF) and for more than `MAX_SIZE`.

    >>> decode("naïve".encode("latin-1"))[:2]
    ('naïve', 'windows-1252')
    >>> decode("naïve".encode(), charset="no such thing")[:2]
    ('naïve', 'utf-8')
    """
    if len(content) > MAX_SIZE:
        raise PageError(
            "decode",
            f"the page has {len(content) / 1e6:.0f} MB; at most {MAX_SIZE // 10**6} MB are read",
        )
    if isinstance(content, str):
        _refuse_binary(content[:_SNIFFED].encode("utf-8", "replace"))
        text = _without_controls(_without_surrogates(content))
        return Decoded(text, "unicode", text.encode())
    encoding = _marked(content) or _wide(content, charset)
    if encoding is not None and encoding.startswith("utf-16"):
        text = content.decode(CODECS[encoding], "replace").removeprefix("\ufeff")
        _refuse_binary(text[:_SNIFFED].encode("utf-8", "replace"))
        text = _without_controls(text)
        return Decoded(text, encoding, text.encode())
    _refuse_binary(content[:_SNIFFED])
    return _decode_bytes(content, encoding or _labelled(content, charset))


def _decode_bytes(content: bytes, encoding: str | None) -> Decoded:
    clean = not _core.has_controls(content)
    if encoding is None or encoding == "utf-8":
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            encoding = encoding or "windows-1252"
        else:
            encoding = "utf-8"
            if clean and not text.startswith("\ufeff"):
                return Decoded(text, encoding, content)
    text = content.decode(CODECS[encoding], "replace").removeprefix("\ufeff")
    text = text if clean else _without_controls(text)
    return Decoded(text, encoding, text.encode())


def _marked(content: bytes) -> str | None:
    """The encoding that a byte order mark announces."""
    return next((name for mark, name in _BYTE_ORDER_MARKS if content.startswith(mark)), None)


def _wide(content: bytes, charset: str | None) -> str | None:
    """UTF-16 without a byte order mark: every other byte of markup is NUL."""
    head = content[:_SNIFFED]
    if b"\0" not in head:
        return None
    encoding = encoding_of(charset)
    if encoding is not None and encoding.startswith("utf-16"):
        return encoding
    half = len(head) // 2
    for first, name in ((1, "utf-16le"), (0, "utf-16be")):
        if head[first::2].count(0) > 0.7 * half and head[1 - first :: 2].count(0) < 0.1 * half:
            return name
    return None


def _labelled(content: bytes, charset: str | None) -> str | None:
    """The encoding that the HTTP header names, or else ``<meta>`` (or an XML declaration)."""
    encoding = encoding_of(charset)
    if encoding is not None and not encoding.startswith("utf-16"):
        return encoding
    head = _COMMENT.sub(b"", content[:1024])
    for pattern in (_META_CHARSET, _XML_ENCODING):
        match = pattern.search(head)
        encoding = encoding_of(match[1].decode("latin-1")) if match else None
        if encoding is not None:
            # UTF-16 cannot be true of a label that could be read; the standard takes UTF-8.
            return "utf-8" if encoding.startswith("utf-16") else encoding
    return None


def _refuse_binary(head: bytes) -> None:
    for signature, name in _SIGNATURES:
        if head.startswith(signature):
            raise PageError("decode", f"the content is {name} data, not HTML or plain text")
    odd = len(head) - len(head.translate(None, _BINARY))
    if odd > _MAX_BINARY and odd > _MAX_BINARY_SHARE * len(head):
        raise PageError("decode", "the content is binary data, not HTML or plain text")


def _without_controls(text: str) -> str:
    for control, replacement in _REPLACED.items():
        text = text.replace(control, replacement)
    return text


def _without_surrogates(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
