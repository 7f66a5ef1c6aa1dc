"""Documents as tests of features write them."""

from understandability.text.document import Document
from understandability.text.sentences import sentence_starts
from understandability.text.tokens import split_pieces


def document(text: str | list[str], docno: str = "d") -> Document:
    """The document of a text; sentences given as a list are taken as they are."""
    if isinstance(text, str):
        pieces = split_pieces(text)
        return Document(docno, "", tuple(pieces), tuple(sentence_starts(pieces)))
    pieces, starts = [], []
    for sentence in text:
        starts.append(len(pieces))
        pieces += split_pieces(sentence)
    return Document(docno, "", tuple(pieces), tuple(starts))
