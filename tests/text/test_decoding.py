"""Bytes become text by the rules of browsers, or a refusal in one sentence."""

import codecs
import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understandability.errors import PageError
from understandability.text.decoding import MAX_SIZE, decode

TEXT = "<p>naïve “café”</p>"


@pytest.mark.parametrize(
    ("content", "charset", "encoding"),
    [
        (TEXT.encode(), None, "utf-8"),
        (codecs.BOM_UTF8 + TEXT.encode(), "iso-8859-1", "utf-8"),
        (TEXT.encode("utf-16"), None, "utf-16le"),
        (TEXT.encode("utf-16-be"), None, "utf-16be"),
        (TEXT.encode("utf-16-le"), "utf-16", "utf-16le"),
        (TEXT.encode("cp1252"), None, "windows-1252"),
        (TEXT.encode("cp1252"), "ISO-8859-1", "windows-1252"),
        (TEXT.encode("cp1252"), "klingon", "windows-1252"),
        (b"<meta charset='latin1'>" + TEXT.encode("cp1252"), None, "windows-1252"),
        (b"<meta charset=utf-16>" + TEXT.encode(), None, "utf-8"),
        ("<meta charset='ütf'>".encode() + TEXT.encode(), None, "utf-8"),
    ],
)
def test_byte_order_mark_header_meta_utf8_windows_1252(
    content: bytes, charset: str | None, encoding: str
) -> None:
    """In this order; labels mean what they mean on the web, unknown ones nothing."""
    decoded = decode(content, charset)
    assert decoded.encoding == encoding
    assert decoded.text.endswith(TEXT)


def test_meta_in_a_comment_does_not_count() -> None:
    """The standard's prescan passes over comments."""
    content = b"<!-- <meta charset=koi8-r> -->" + TEXT.encode("cp1252")
    assert decode(content).encoding == "windows-1252"


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"%PDF-1.7", "PDF"),
        (b"\x89PNG\r\n", "PNG"),
        (gzip.compress(b"a", mtime=0), "gzip"),
        (bytes(range(32)) * 9, "binary"),
    ],
)
def test_what_is_no_text_is_refused(content: bytes, word: str) -> None:
    with pytest.raises(PageError, match=word) as caught:
        decode(content)
    assert caught.value.stage == "decode"


def test_more_than_the_limit_is_refused() -> None:
    with pytest.raises(PageError, match="12 MB are read"):
        decode(b" " * (MAX_SIZE + 1))


def test_controls_and_lone_surrogates_do_not_survive() -> None:
    """NUL vanishes, a form feed is white space, the rest is replaced."""
    assert decode(b"a\0b\x0cc\x01d and so on").text == "ab\nc\ufffdd and so on"
    assert decode("a\ud83db").text == "a\ufffdb"
    assert decode("a\ud83e\udd12b").text == "a\U0001f912b"


@given(st.binary(max_size=300), st.sampled_from([None, "utf-8", "gbk", "utf-16", "x-sjis"]))
def test_any_bytes_give_text_or_a_refusal(content: bytes, charset: str | None) -> None:
    """And what comes out can be written as UTF-8."""
    try:
        text = decode(content, charset).text
    except PageError as error:
        assert error.stage == "decode"  # noqa: PT017
    else:
        assert not set(text) & set(map(chr, range(9)))
