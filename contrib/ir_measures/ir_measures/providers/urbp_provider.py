import ir_measures
from ir_measures import providers, measures, Metric
from ir_measures.providers.base import Any, NOT_PROVIDED


class UrbpProvider(providers.Provider):
    """
    python implementation of understandability-biased RBP (uRBP), RBPu and HRBP

    https://doi.org/10.1007/978-3-319-30671-1_21
    """
    NAME = 'urbp'
    SUPPORTED_MEASURES = [
        measures._uRBP(cutoff=Any(), p=Any(), rel=Any(), max_u=Any(), min_u=Any()),
        measures._RBPu(cutoff=Any(), p=Any(), max_u=Any(), min_u=Any()),
        measures._HRBP(cutoff=Any(), p=Any(), rel=Any(), max_u=Any(), min_u=Any()),
    ]

    def _evaluator(self, measures, qrels):
        for measure in measures:
            if measure['max_u'] != NOT_PROVIDED and measure['min_u'] != NOT_PROVIDED:
                raise ValueError(f'{measure}: max_u and min_u exclude each other')
        # QrelsConverter drops the other columns of data frames
        rows = qrels.itertuples() if hasattr(qrels, 'itertuples') else ir_measures.util.QrelsConverter(qrels).as_namedtuple_iter()
        labels = {}
        for row in rows:
            if not hasattr(row, 'understandability'):
                raise ValueError('uRBP, RBPu and HRBP need qrels with a field understandability')
            labels.setdefault(row.query_id, {})[row.doc_id] = (row.relevance, row.understandability)
        return UrbpEvaluator(measures, labels)

    def qrel_inputs(self, measures):
        return ['query_id', 'doc_id', 'relevance', 'understandability']


class UrbpEvaluator(providers.Evaluator):
    def __init__(self, measures, labels):
        super().__init__(measures, set(labels))
        self.labels = labels
        self.gains = {m: {q: {d: _gains(m, *label) for d, label in docs.items()} for q, docs in labels.items()} for m in measures}

    def _iter_calc(self, run):
        run = ir_measures.util.RunConverter(run).as_dict_of_dict()
        for qid, scores in run.items():
            if qid not in self.labels:
                continue
            ranking = sorted(scores, key=lambda did: (-scores[did], did))
            for measure in self.measures:
                cutoff = len(ranking) if measure['cutoff'] == NOT_PROVIDED else measure['cutoff']
                gains = self.gains[measure][qid]
                p = measure['p']
                found = [(p ** i, gains[did]) for i, did in enumerate(ranking[:cutoff]) if did in gains]
                value, other = ((1 - p) * sum(weight * gain[part] for weight, gain in found) for part in (0, 1))
                if measure.NAME == 'HRBP':
                    value = 2 * value * other / (value + other) if value + other else 0.
                yield Metric(query_id=qid, measure=measure, value=value)


def _gains(measure, relevance, label):
    """What RBP sums up, and for HRBP what its other RBP sums up."""
    understood = _gain(measure, label)
    if measure.NAME == 'RBPu':
        return understood, 0.
    relevant = float(relevance >= measure['rel'])
    return (relevant, understood) if measure.NAME == 'HRBP' else (relevant * understood, 0.)


def _gain(measure, label):
    if label is None or label != label: # NaN
        return 0.
    if measure['max_u'] != NOT_PROVIDED:
        return float(label <= measure['max_u'])
    if measure['min_u'] != NOT_PROVIDED:
        return float(label >= measure['min_u'])
    if not 0 <= label <= 1:
        raise ValueError(f'{measure}: the label {label} is not a gain from 0 to 1; provide max_u or min_u')
    return float(label)


providers.register(UrbpProvider())
