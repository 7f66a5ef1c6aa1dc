"""The version of the package. This module imports nothing, so that any other module can import
it.
"""

__version__ = "0.3.0.dev0"
