"""Compressed streams: all codecs, bounded output, and reading on after damage."""

import bz2
import gzip
import io
import lzma
import resource
import zlib

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from understandability.errors import InputError
from understandability.inputs import streams
from understandability.inputs.streams import (
    DamagedStreamError,
    decompressed,
    open_stream,
    read_bounded,
    skip,
)

COMPRESSORS = {
    "plain": bytes,
    "gzip": gzip.compress,
    "zstd": zstandard.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
}
COMPRESSED = [name for name in COMPRESSORS if name != "plain"]


@pytest.mark.parametrize("kind", COMPRESSORS)
@given(parts=st.lists(st.binary(max_size=300), min_size=1, max_size=4))
def test_members_decode_to_what_was_compressed(kind: str, parts: list[bytes]) -> None:
    """Members (frames) one after another read as one stream."""
    if kind == "plain":
        parts = [b"x", *parts]  # else the bytes may happen to begin like a compressed file
    data = b"".join(COMPRESSORS[kind](part) for part in parts)
    assert decompressed(io.BytesIO(data)).read() == b"".join(parts)


@pytest.mark.parametrize("kind", COMPRESSED)
def test_cut_stream_gives_what_is_there_and_then_says_so(kind: str) -> None:
    """A file cut short is never taken for a complete one."""
    content = bytes(range(256)) * 1000
    stream = decompressed(io.BytesIO(COMPRESSORS[kind](content)[:-6]))
    with pytest.raises(DamagedStreamError, match=r"end too early"):
        skip(stream, len(content) + 1)


def test_cut_stream_gives_all_that_its_bytes_hold() -> None:
    """At any cut, even within data that expand far."""
    content = b"".join(bytes([letter]) * 70_001 for letter in range(3))
    data = gzip.compress(content)
    for cut in range(20, len(data)):
        expected = zlib.decompressobj(31).decompress(data[:cut])
        assert all_of(data[:cut]) == (len(expected), ["the compressed data end too early"])


@pytest.mark.parametrize(("kind", "offset"), [("gzip", 12), ("bzip2", 12), ("xz", 30)])
def test_reading_goes_on_with_the_member_behind_the_damage(kind: str, offset: int) -> None:
    """One broken member costs that member alone."""
    members = [COMPRESSORS[kind](name * 1000) for name in (b"one ", b"two ", b"three ")]
    members[1] = members[1][:offset] + b"\xff" * 8 + members[1][offset + 8 :]
    stream = decompressed(io.BytesIO(b"".join(members)))
    data, damages = b"", 0
    while True:
        try:
            part = stream.read(64)
        except DamagedStreamError:
            damages += 1
            continue
        if not part:
            break
        data += part
    assert damages >= 1
    assert data.endswith(b"three ")
    assert data.count(b"three ") == 1000


@pytest.mark.parametrize("kind", COMPRESSED)
def test_a_bomb_is_not_unfolded_beyond_the_bound(kind: str) -> None:
    """A gigabyte of zeros in a file of a megabyte costs no more memory than requested."""
    chunk = b"\0" * 10_000_000
    bomb = COMPRESSORS[kind](chunk) * 100
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert read_bounded(decompressed(io.BytesIO(bomb)), 1_000_000) is None
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < 100_000  # kilobytes


def all_of(data: bytes) -> tuple[int, list[str]]:
    """The number of bytes of a stream, and its errors."""
    stream = decompressed(io.BytesIO(data))
    count, damages = 0, []
    while True:
        try:
            part = stream.read1(1 << 16)
        except DamagedStreamError as error:
            damages.append(str(error))
            continue
        if not part:
            return count, damages
        count += len(part)


def test_gzip_members_in_one_another_are_decoded_once() -> None:
    """Headers in a row, then what unfolds far, then damage: each header would unfold it again."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    far = deflate.compress(b"\0" * 3_500_000) + deflate.flush(zlib.Z_FULL_FLUSH)
    header = b"\x1f\x8b\x08\x08AAAAAA"  # with a file name, which the next header is part of
    block = header * ((8_192 - len(far) - 40) // len(header)) + b"\0" + far + b"\x07"
    count, damages = all_of(gzip.compress(b"") + block.ljust(8_192, b"\xff") * 20)
    assert 20 * 3_400_000 < count < 20 * 3_700_000
    assert len(damages) < 1_000


def test_zstd_frames_in_one_another_are_decoded_once() -> None:
    """Each frame begins with a block that holds the header of the next, and ends damaged."""
    header = zstandard.FRAME_HEADER + b"\0\x38"
    stored = (6 << 3).to_bytes(3, "little")  # a block of six bytes as they are
    far = ((1 << 1) | (1 << 17 << 3)).to_bytes(3, "little") + b"\0"  # 128 KiB of zeros
    frame = header + (stored + header) * 10 + far * 30 + b"\xff" * 20
    count, damages = all_of(zstandard.compress(b"") + frame.ljust(256, b"\xff") * 100)
    assert 100 * 20 * (1 << 17) < count < 100 * 31 * (1 << 17)
    assert len(damages) <= 200


@pytest.mark.parametrize("kind", COMPRESSED)
def test_a_stream_that_unfolds_too_far_ends_there(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bytes read are bounded in total, with one error."""
    monkeypatch.setattr(streams, "MOST_OUTPUT", 10_000_000)
    bomb = COMPRESSORS[kind](b"\n" * 10_000_000) * 5
    count, damages = all_of(bomb)
    assert 10_000_000 <= count < 21_000_000
    assert damages == [
        "the compressed data expand to more than 10 MB and more than 300 times their size, "
        "the most that is read"
    ]
    monkeypatch.setattr(streams, "MOST_RATIO", 1_000_000)
    assert all_of(bomb) == (50_000_000, [])


def test_damage_counts_as_what_may_have_been_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Headers alone, each of them damaged, do not go on for ever."""
    monkeypatch.setattr(streams, "MOST_OUTPUT", 10_000_000)
    _, damages = all_of(gzip.compress(b"") + b"\x1f\x8b\x08\xff" * 5_000)
    assert len(damages) < 500
    assert "expand to more than" in damages[-1]


def test_skip_counts_what_was_there() -> None:
    assert skip(io.BytesIO(b"12345"), 3) == 3
    assert skip(io.BytesIO(b"12345"), 9) == 5


def zstd_with_dictionary(texts: list[bytes], *, is_compressed: bool = False) -> bytes:
    """Frames as in a .warc.zst file: first one with the dictionary, which a reader skips."""
    samples = [b"WARC/1.0 %d Content-Length: %d the page" % (n, n * n) for n in range(2_000)]
    dictionary = zstandard.train_dictionary(4_096, samples)
    data = dictionary.as_bytes()
    data = zstandard.compress(data) if is_compressed else data
    compressor = zstandard.ZstdCompressor(dict_data=dictionary)
    head = b"\x5d\x2a\x4d\x18" + len(data).to_bytes(4, "little")
    return head + data + b"".join(map(compressor.compress, texts))


@pytest.mark.parametrize("is_compressed", [False, True])
def test_a_dictionary_at_the_start_of_a_file_is_used(is_compressed: bool) -> None:
    texts = [b"WARC/1.0 7 Content-Length: 49 the page", b"of today"]
    data = zstd_with_dictionary(texts, is_compressed=is_compressed)
    assert decompressed(io.BytesIO(data)).read() == b"".join(texts)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xff\xff\xff\x7f", "its zstd dictionary claims 2,147,483,647 bytes"),
        (b"\xff\xff\0\0short", "the file ends within its zstd dictionary"),
        (b"\x05\0\0\0\x28\xb5\x2f\xfd\xff", "its zstd dictionary is damaged"),
        (b"\x05\0\0\0short", "its zstd dictionary is damaged"),
        ("bomb", "its zstd dictionary expands to more than 16 MB"),
    ],
)
def test_a_hostile_dictionary_is_one_error(data: bytes | str, message: str) -> None:
    if isinstance(data, str):
        bomb = zstandard.compress(b"\0" * 40_000_000)
        data = len(bomb).to_bytes(4, "little") + bomb
    stream = decompressed(io.BytesIO(b"\x5d\x2a\x4d\x18" + data + zstandard.compress(b"text")))
    with pytest.raises(DamagedStreamError, match=message):
        stream.read()
    assert stream.read() == b""


def test_a_frame_that_is_skipped_may_not_hide_the_rest() -> None:
    data = (
        zstandard.compress(b"text") + b"\x50\x2a\x4d\x18\xff\xff\0\0" + zstandard.compress(b"more")
    )
    assert all_of(data) == (4, ["the compressed data end too early"])


def test_missing_file_is_told_in_one_sentence() -> None:
    with pytest.raises(InputError, match=r"^nowhere/x\.gz cannot be read: No such file"):
        open_stream("nowhere/x.gz")
