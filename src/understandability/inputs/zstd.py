"""Import Zstandard from the standard library (Python 3.14 and later), or from its backport."""

import sys

if sys.version_info >= (3, 14):
    from compression.zstd import (
        DecompressionParameter,
        ZstdDecompressor,
        ZstdDict,
        ZstdError,
        ZstdFile,
    )
else:
    from backports.zstd import (
        DecompressionParameter,
        ZstdDecompressor,
        ZstdDict,
        ZstdError,
        ZstdFile,
    )

__all__ = ["DecompressionParameter", "ZstdDecompressor", "ZstdDict", "ZstdError", "ZstdFile"]
