"""Decode the bytes of a page to text, by the rules that browsers follow.

In this order, as in the WHATWG HTML standard ("determining the character encoding"): the byte order
mark, the HTTP header, ``<meta>`` in the head; then UTF-8 if the bytes are valid UTF-8, else
windows-1252. A label that the standard does not define is ignored. Bytes that are invalid in the
encoding become U+FFFD. There is no further guessing, because it costs more than the rest of the
work on a page.

One rule is not in the standard: bytes that are valid UTF-8, and not only ASCII, are UTF-8 even if
they are labelled with an encoding in which any bytes are valid (windows-1252, latin-1, koi8-r).

Letters with combining accents become single characters (Unicode NFC).

The names of encodings on pages are interpreted by the table "Names and labels" of the WHATWG
Encoding standard. It differs from Python's aliases: ``iso-8859-1`` is windows-1252, ``gb2312`` is
GBK.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from typing import NamedTuple

from understandability import _core
from understandability.errors import PageError

# Encoding as the standard names it: (Python's codec, labels).
_ENCODINGS: dict[str, tuple[str, str]] = {
    "utf-8": (
        "utf-8",
        "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
    ),
    "ibm866": ("cp866", "866 cp866 csibm866 ibm866"),
    "iso-8859-2": (
        "iso8859-2",
        "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
    ),
    "iso-8859-3": (
        "iso8859-3",
        "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
    ),
    "iso-8859-4": (
        "iso8859-4",
        "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
    ),
    "iso-8859-5": (
        "iso8859-5",
        "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5"
        " iso_8859-5:1988",
    ),
    "iso-8859-6": (
        "iso8859-6",
        "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6"
        " iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
    ),
    "iso-8859-7": (
        "iso8859-7",
        "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597"
        " iso_8859-7 iso_8859-7:1987 sun_eu_greek",
    ),
    "iso-8859-8": (
        "iso8859-8",
        "csiso88598e csiso88598i csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-8859-8-i"
        " iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 logical visual",
    ),
    "iso-8859-10": (
        "iso8859-10",
        "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    ),
    "iso-8859-13": ("iso8859-13", "iso-8859-13 iso8859-13 iso885913"),
    "iso-8859-14": ("iso8859-14", "iso-8859-14 iso8859-14 iso885914"),
    "iso-8859-15": (
        "iso8859-15",
        "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
    ),
    "iso-8859-16": ("iso8859-16", "iso-8859-16"),
    "koi8-r": ("koi8-r", "cskoi8r koi koi8 koi8-r koi8_r"),
    "koi8-u": ("koi8-u", "koi8-ru koi8-u"),
    "macintosh": ("mac-roman", "csmacintosh mac macintosh x-mac-roman"),
    "windows-874": (
        "cp874",
        "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
    ),
    "windows-1250": ("cp1250", "cp1250 windows-1250 x-cp1250"),
    "windows-1251": ("cp1251", "cp1251 windows-1251 x-cp1251"),
    "windows-1252": (
        "cp1252",
        "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1"
        " iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252",
    ),
    "windows-1253": ("cp1253", "cp1253 windows-1253 x-cp1253"),
    "windows-1254": (
        "cp1254",
        "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989"
        " l5 latin5 windows-1254 x-cp1254",
    ),
    "windows-1255": ("cp1255", "cp1255 windows-1255 x-cp1255"),
    "windows-1256": ("cp1256", "cp1256 windows-1256 x-cp1256"),
    "windows-1257": ("cp1257", "cp1257 windows-1257 x-cp1257"),
    "windows-1258": ("cp1258", "cp1258 windows-1258 x-cp1258"),
    "x-mac-cyrillic": ("mac-cyrillic", "x-mac-cyrillic x-mac-ukrainian"),
    "gbk": (
        "gb18030",
        "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk",
    ),
    "gb18030": ("gb18030", "gb18030"),
    "big5": ("big5hkscs", "big5 big5-hkscs cn-big5 csbig5 x-x-big5"),
    "euc-jp": ("euc-jp", "cseucpkdfmtjapanese euc-jp x-euc-jp"),
    "iso-2022-jp": ("iso2022-jp", "csiso2022jp iso-2022-jp"),
    "shift_jis": (
        "cp932",
        "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
    ),
    "euc-kr": (
        "cp949",
        "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601"
        " ksc_5601 windows-949",
    ),
    "utf-16be": ("utf-16-be", "unicodefffe utf-16be"),
    "utf-16le": (
        "utf-16-le",
        "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
    ),
}

CODECS = {encoding: codec for encoding, (codec, _) in _ENCODINGS.items()}

_LABELS = {
    label: encoding for encoding, (_, labels) in _ENCODINGS.items() for label in labels.split()
}


def encoding_of(label: str | None) -> str | None:
    """Return the encoding that a label names; None if the standard does not define the label.

    >>> encoding_of(" ISO-8859-1 ")
    'windows-1252'
    >>> encoding_of("klingon") is None
    True
    """
    return _LABELS.get(label.strip("\t\n\f\r ").lower()) if label else None


# More than this many bytes (or characters) are refused: at this size a page takes about one
# second, and up to 400 MB.
MAX_SIZE = 12_000_000

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16le"),
    (codecs.BOM_UTF16_BE, "utf-16be"),
)

# The first bytes of files that are no text, and the names of their formats.
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

# Control characters that do not belong in text. NUL is dropped, vertical tabs and form feeds become
# line feeds, and the rest becomes U+FFFD, because parsers and files do not handle them safely.
_CONTROLS = [chr(code) for code in range(0x20) if chr(code) not in "\t\n\r"]
_CONTROL_BYTES = [character.encode() for character in _CONTROLS]
_REPLACED = dict.fromkeys(_CONTROLS, "\ufffd") | {"\0": "", "\x0b": "\n", "\x0c": "\n"}

# Content that begins with many control characters is no text. Escape and shift do not count,
# because ISO-2022 uses them.
_SNIFFED = 4096
_BINARY = "".join(_CONTROLS).translate(dict.fromkeys(map(ord, "\x0b\x0c\x0e\x0f\x1b"))).encode()
_MAX_BINARY_SHARE = 0.05
_MAX_BINARY = 8

_META = re.compile(rb"<meta[\s/]([^<>]*)", re.IGNORECASE)
_ATTRIBUTE = re.compile(rb"""([^\s"'<>/=]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?""")
_CONTENT_CHARSET = re.compile(rb"""charset\s*=\s*["']?\s*([^\s"';]+)""", re.IGNORECASE)
# Declarations are searched in the first bytes, and if there is none, in more of them.
_FIRST, _HEAD = 1024, 1 << 16
_BODY = re.compile(rb"<body[\s>]", re.IGNORECASE)
# Encodings in which any bytes are valid, so that a wrong label causes no error.
_ANY_BYTES = ("windows-", "iso-8859-", "koi8-", "macintosh", "x-mac-", "ibm866")
# Text in another encoding of several bytes is valid UTF-8 only if it is shorter: "联通" in GBK
# is valid.
_FEW_BYTES = 24
_XML_ENCODING = re.compile(rb"""\A\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"'>]+)["']""")
# Comments, and elements whose content is no markup.
_NO_MARKUP = re.compile(
    rb"""<!--.*?(?:-->|\Z) | <(script|style)\b.*?(?:</\1|\Z) | <(title|textarea)\b.*?</\2""",
    re.DOTALL | re.IGNORECASE | re.VERBOSE,
)


class Decoded(NamedTuple):
    """A decoded text: the name of its original encoding, and the text in UTF-8."""

    encoding: str
    utf8: bytes

    @property
    def text(self) -> str:
        return self.utf8.decode()


def decode(content: bytes | str, charset: str | None = None) -> Decoded:
    """Convert `content` to UTF-8, and return the name of its original encoding.

    `charset` is the label in the HTTP header. If `content` is a `str`, the encoding is ``unicode``.
    Control characters and lone surrogates are replaced.

    Raises `PageError` for content that is no text (images, archives, PDF) or larger than
    `MAX_SIZE`.

    >>> decode("naïve".encode("latin-1"))
    Decoded(encoding='windows-1252', utf8=b'naÃ¯ve')
    >>> decode("naïve".encode(), charset="no such thing").encoding
    'utf-8'
    """
    if len(content) > MAX_SIZE:
        raise PageError(
            "decode",
            f"the page has {len(content) / 1e6:.0f} MB; at most {MAX_SIZE // 10**6} MB are read",
        )
    if isinstance(content, str):
        _refuse_binary(content[:_SNIFFED].encode("utf-8", "replace"))
        text = _without_controls(_without_surrogates(content))
        return Decoded("unicode", _composed(text.encode()))
    encoding = _marked(content) or _wide(content, charset)
    if encoding is not None and encoding.startswith("utf-16"):
        text = content.decode(CODECS[encoding], "replace").removeprefix("\ufeff")
        _refuse_binary(text[:_SNIFFED].encode("utf-8", "replace"))
        text = _without_controls(text)
        return Decoded(encoding, _composed(text.encode()))
    _refuse_binary(content[:_SNIFFED])
    return _decode_bytes(content, encoding or _labelled(content, charset))


def _decode_bytes(content: bytes, encoding: str | None) -> Decoded:
    has_controls = _core.has_controls(content)
    is_valid = _core.is_utf8(content)
    is_utf8 = is_valid or _is_cut_utf8(content)
    if encoding is None:
        encoding = "utf-8" if is_utf8 else "windows-1252"
    elif encoding != "utf-8" and is_utf8 and not content.isascii():
        is_wrong = encoding.startswith(_ANY_BYTES) or not _may_be(content, encoding)
        encoding = "utf-8" if is_wrong else encoding  # other text is hardly ever valid UTF-8
    is_marked = content.startswith(codecs.BOM_UTF8)
    is_same = encoding == "utf-8" or (encoding == "windows-1252" and content.isascii())
    if (
        is_same
        and is_valid
        and not has_controls
        and not is_marked
        and not _core.may_combine(content)
    ):
        return Decoded(encoding, content)
    text = content.decode(CODECS[encoding], "replace").removeprefix("\ufeff")
    text = _without_controls(text) if has_controls else text
    return Decoded(encoding, _composed(text.encode()))


def _may_be(content: bytes, encoding: str) -> bool:
    """Return True if valid UTF-8 may be text in another encoding of several bytes."""
    if len(content.translate(None, bytes(range(0x80)))) >= _FEW_BYTES:
        return False
    try:
        content.decode(CODECS[encoding])
    except UnicodeDecodeError:
        return False
    return True


def _is_cut_utf8(content: bytes) -> bool:
    """Return True if bytes are valid UTF-8 except for a last character that is cut off."""
    for size in range(1, min(4, len(content))):
        if content[-size] >= 0xC0:
            whole = content[:-size]
            return not whole.isascii() and _core.is_utf8(whole)
        if content[-size] < 0x80:
            return False
    return False


def _composed(utf8: bytes) -> bytes:
    """Compose letters and combining accents into single characters (NFC)."""
    return unicodedata.normalize("NFC", utf8.decode()).encode() if _core.may_combine(utf8) else utf8


def _marked(content: bytes) -> str | None:
    """Return the encoding that a byte order mark states; None without one."""
    return next((name for mark, name in _BYTE_ORDER_MARKS if content.startswith(mark)), None)


def _wide(content: bytes, charset: str | None) -> str | None:
    """Return the name of UTF-16 for text without a byte order mark in which every other byte is
    NUL.
    """
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
    """Return the encoding named by the HTTP header, or else by a ``<meta>`` or XML declaration."""
    encoding = encoding_of(charset)
    if encoding is not None and not encoding.startswith("utf-16"):
        return encoding
    for size in (_FIRST, _HEAD):
        label = _declared(content[:size])
        encoding = encoding_of(label.decode("latin-1")) if label else None
        if encoding is not None:
            # UTF-16 cannot be true of a label that could be read; the standard takes UTF-8.
            return "utf-8" if encoding.startswith("utf-16") else encoding
    return None


def _declared(head: bytes) -> bytes | None:
    """Return the label in a ``<meta>`` or an XML declaration at the start of a page.

    Only the attribute ``charset`` counts, or the ``content`` of ``http-equiv=content-type``.

    >>> _declared(b"<meta property=og:url content='/?charset=gbk'><meta charset=utf-8>")
    b'utf-8'
    """
    xml = _XML_ENCODING.match(head)
    if b"charset" in head.lower():  # else the patterns below need not be tried
        head = _NO_MARKUP.sub(b"", head)
        body = _BODY.search(head)
        for meta in _META.finditer(head, 0, body.start() if body else len(head)):
            if label := _label_of_meta(meta[1]):
                return label
    return xml[1] if xml else None


def _label_of_meta(written: bytes) -> bytes | None:
    """Return the label in the attributes of a ``<meta>``; None without one."""
    if b"charset" not in written.lower():
        return None
    attributes: dict[bytes, bytes] = {
        name.lower(): value.strip(b"\"' \t\r\n") for name, value in _ATTRIBUTE.findall(written)
    }
    if attributes.get(b"charset"):
        return attributes[b"charset"]
    if attributes.get(b"http-equiv", b"").lower() == b"content-type":
        match = _CONTENT_CHARSET.search(attributes.get(b"content", b""))
        return match[1] if match else None
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
