"""How likely a reader is to understand a web page: P(U|d), from bytes to evaluation.

Bytes become a `Page`, a page becomes `Block`s of text, blocks become a `Document`, a document
becomes features, features become an `Estimate`; estimates re-rank and evaluate runs.
One subpackage per stage, each importing from earlier stages only.
"""

__version__ = "0.1.0"
