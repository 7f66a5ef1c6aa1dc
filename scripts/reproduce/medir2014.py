"""Zuccon & Koopman, "Integrating Understandability in the Evaluation of Consumer Health Search
Engines" (MedIR 2014): Table 1, which ECIR 2016 prints again."""

from pathlib import Path

from scripts.reproduce.ecir2016 import NO_TEXT, simulated
from scripts.reproduce.verdicts import Table


def tables(data: Path, published: Path) -> list[Table]:
    """Return Table 1."""
    return [simulated(published, "MedIR 2014, Table 1", "medir2014_table1", NO_TEXT)]
