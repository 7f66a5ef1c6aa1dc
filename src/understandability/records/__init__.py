"""The plain immutable values that pass between the stages.

In: nothing. Out: `Page`, `Block`, `Document`, `Estimate` and `Failure` on the way from bytes to
P(U|d); `Run` and `Labels` on the way from those to measures. Nothing here reads a file.
"""

from understandability.records.document import Block, Document
from understandability.records.estimate import Estimate
from understandability.records.joins import numpy_values
from understandability.records.labels import Labels
from understandability.records.page import HTML, SEEN_BEFORE, TEXT, Failure, Page
from understandability.records.run import Oddity, Run

__all__ = [
    "HTML",
    "SEEN_BEFORE",
    "TEXT",
    "Block",
    "Document",
    "Estimate",
    "Failure",
    "Labels",
    "Oddity",
    "Page",
    "Run",
    "numpy_values",
]
