"""Compressed streams: decoded whatever their kind, bounded, and read on behind damage."""

from __future__ import annotations

import gzip
import io
import resource

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from understandability.errors import InputError
from understandability.io.streams import (
    DamagedStreamError,
    decompressed,
    open_stream,
    read_bounded,
    skip,
)

COMPRESSORS = {"plain": bytes, "gzip": gzip.compress, "zstd": zstandard.compress}


@pytest.mark.parametrize("kind", COMPRESSORS)
@given(parts=st.lists(st.binary(max_size=300), min_size=1, max_size=4))
def test_members_decode_to_what_was_compressed(kind: str, parts: list[bytes]) -> None:
    """Members (frames) one after another read as one stream."""
    if kind == "plain":
        parts = [b"x", *parts]  # else the bytes may happen to begin like a compressed file
    data = b"".join(COMPRESSORS[kind](part) for part in parts)
    assert decompressed(io.BytesIO(data)).read() == b"".join(parts)


@pytest.mark.parametrize("kind", ["gzip", "zstd"])
def test_cut_stream_gives_what_is_there_and_then_says_so(kind: str) -> None:
    """A file cut short is never taken for a complete one."""
    content = bytes(range(256)) * 1000
    stream = decompressed(io.BytesIO(COMPRESSORS[kind](content)[:-6]))
    with pytest.raises(DamagedStreamError, match=r"end too early"):
        skip(stream, len(content) + 1)


def test_reading_goes_on_with_the_member_behind_the_damage() -> None:
    """One broken gzip member costs that member alone."""
    members = [gzip.compress(name * 1000) for name in (b"one ", b"two ", b"three ")]
    members[1] = members[1][:12] + b"\xff" * 8 + members[1][20:]
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


@pytest.mark.parametrize("kind", ["gzip", "zstd"])
def test_a_bomb_is_not_unfolded_beyond_the_bound(kind: str) -> None:
    """A gigabyte of zeros in a megabyte of file costs no more memory than is asked for."""
    chunk = b"\0" * 10_000_000
    bomb = COMPRESSORS[kind](chunk) * 100
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert read_bounded(decompressed(io.BytesIO(bomb)), 1_000_000) is None
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < 100_000  # kilobytes


def test_skip_counts_what_was_there() -> None:
    """Skipping past the end tells how far it came."""
    assert skip(io.BytesIO(b"12345"), 3) == 3
    assert skip(io.BytesIO(b"12345"), 9) == 5


def test_missing_file_is_told_in_one_sentence() -> None:
    """The path and the reason stand in the sentence."""
    with pytest.raises(InputError, match=r"^nowhere/x\.gz cannot be read: No such file"):
        open_stream("nowhere/x.gz")
