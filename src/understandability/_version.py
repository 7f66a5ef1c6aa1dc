"""The version of the package, which everything else may import."""

__version__ = "0.3.0.dev0"
