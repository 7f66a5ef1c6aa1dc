from ir_measures import measures

_PARAMS = {
    'cutoff': measures.ParamInfo(dtype=int, required=False, desc='ranking cutoff threshold'),
    'p': measures.ParamInfo(dtype=float, default=0.8, desc='persistence'),
    'max_u': measures.ParamInfo(dtype=int, required=False, desc='highest label that counts as understandable (inclusive)'),
    'min_u': measures.ParamInfo(dtype=int, required=False, desc='lowest label that counts as understandable (inclusive)'),
}
_REL = measures.ParamInfo(dtype=int, default=1, desc='minimum relevance score to be considered relevant (inclusive)')


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
    SUPPORTED_PARAMS = {**_PARAMS, 'rel': _REL}


class _RBPu(measures.Measure):
    """
    Rank-Biased Precision of understandability alone (RBPu), whatever the relevance of a document.

    Labels, ``max_u`` and ``min_u`` are those of ``uRBP``.

    ::

     @inproceedings{DBLP:conf/cikm/PalottiZH18,
       author = {Palotti, Jo{\\~{a}}o and Zuccon, Guido and Hanbury, Allan},
       title = {MM: A New Framework for Multidimensional Evaluation of Search Engines},
       booktitle = {CIKM},
       year = {2018},
       doi = {10.1145/3269206.3269261}
     }
    """
    __name__ = 'RBPu'
    NAME = __name__
    PRETTY_NAME = 'Rank-Biased Precision of understandability'
    SHORT_DESC = 'RBP in which a document counts as far as it is understandable.'
    SUPPORTED_PARAMS = _PARAMS


class _HRBP(measures.Measure):
    """
    The harmonic mean of the Rank-Biased Precision of relevance and ``RBPu``, query by query (HRBP).
    It is 0 if one of them is.

    Labels, ``max_u`` and ``min_u`` are those of ``uRBP``.

    ::

     @inproceedings{DBLP:conf/cikm/PalottiZH18,
       author = {Palotti, Jo{\\~{a}}o and Zuccon, Guido and Hanbury, Allan},
       title = {MM: A New Framework for Multidimensional Evaluation of Search Engines},
       booktitle = {CIKM},
       year = {2018},
       doi = {10.1145/3269206.3269261}
     }
    """
    __name__ = 'HRBP'
    NAME = __name__
    PRETTY_NAME = 'Harmonic mean of Rank-Biased Precisions'
    SHORT_DESC = 'The harmonic mean of RBP and RBPu.'
    SUPPORTED_PARAMS = {**_PARAMS, 'rel': _REL}


uRBP = _uRBP()
measures.register(uRBP)
RBPu = _RBPu()
measures.register(RBPu)
HRBP = _HRBP()
measures.register(HRBP)
