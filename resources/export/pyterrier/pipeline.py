import pyterrier as pt

from understandability.integrations.pyterrier import Rerank

pipeline = pt.terrier.Retriever(index, wmodel="BM25") % 100 >> Rerank(
    "scores.tsv:FIELD", top=15
)
