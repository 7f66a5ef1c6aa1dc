from ir_measures import measures


class _uRBP(measures.Measure):
    """
    Understandability-biased Rank-Biased Precision (uRBP). A document counts as far as it is relevant
    and understandable.

    Labels of understandability are the field ``understandability`` of the qrels, beside ``relevance``,
    as ir_datasets has them for CLEF eHealth. With ``max_u`` (lower labels are easier) or ``min_u``
    (higher labels are easier) they count as 0 or 1. With neither, the labels are gains from 0 to 1.
    Documents without a label count 0.

    ::

     @inproceedings{DBLP:conf/ecir/Zuccon16,
       author = {Zuccon, Guido},
       title = {Understandability Biased Evaluation for Information Retrieval},
       booktitle = {ECIR},
       pages = {280--292},
       year = {2016},
       doi = {10.1007/978-3-319-30671-1\\_21}
     }
    """
    __name__ = 'uRBP'
    NAME = __name__
    PRETTY_NAME = 'Understandability-biased Rank-Biased Precision'
    SHORT_DESC = 'RBP in which a relevant document counts as far as it is understandable.'
    SUPPORTED_PARAMS = {
        'cutoff': measures.ParamInfo(dtype=int, required=False, desc='ranking cutoff threshold'),
        'p': measures.ParamInfo(dtype=float, default=0.8, desc='persistence'),
        'rel': measures.ParamInfo(dtype=int, default=1, desc='minimum relevance score to be considered relevant (inclusive)'),
        'max_u': measures.ParamInfo(dtype=int, required=False, desc='highest label that counts as understandable (inclusive)'),
        'min_u': measures.ParamInfo(dtype=int, required=False, desc='lowest label that counts as understandable (inclusive)'),
    }


uRBP = _uRBP()
measures.register(uRBP)
