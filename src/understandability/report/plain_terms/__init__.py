"""What readers say for an expert's or an official's term: "heart attack" for "infarction".

In: documents. Out: offers, each a term with plain terms that fit in its place, or with plain words
for a sentence to be rewritten, or with a note.
"""

from understandability.report.plain_terms.offers import Offer, offers
from understandability.report.plain_terms.tables import GENERAL, MEDICAL, plain_terms

__all__ = ["GENERAL", "MEDICAL", "Offer", "offers", "plain_terms"]
