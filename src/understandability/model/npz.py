"""What reading an ``.npz`` archive of numpy ends with where it is not what it says."""

from __future__ import annotations

import tokenize
import zipfile
import zlib

# Headers of arrays are read by Python's parser, and those of the first version by its tokenizer.
NO_PLAIN_ARRAYS = (
    OSError,
    ValueError,
    EOFError,
    LookupError,
    SyntaxError,
    tokenize.TokenError,
    zipfile.BadZipFile,
)
DAMAGED_ARRAYS = (zlib.error, RuntimeError, MemoryError, OverflowError)
