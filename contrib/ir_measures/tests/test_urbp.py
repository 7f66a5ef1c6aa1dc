import unittest
from typing import NamedTuple
import ir_measures
from ir_measures import HRBP, RBP, RBPu, ScoredDoc, uRBP


class Qrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    understandability: float
    iteration: str = '0'


QRELS = [Qrel('0', 'D0', 1, 90), Qrel('0', 'D1', 2, 40), Qrel('0', 'D2', 0, 10), Qrel('0', 'D3', 1, 0), Qrel('1', 'D0', 1, 0)]
RUN = [ScoredDoc('0', did, 9. - i) for i, did in enumerate(['D0', 'D1', 'D2', 'D3', 'D4'])]


class TestUrbp(unittest.TestCase):

    def test_by_hand(self):
        for measure, expected in [
            (uRBP(max_u=40), 0.2 * (0.8 + 0.8 ** 3)),
            (uRBP(max_u=40)@2, 0.2 * 0.8),
            (uRBP(max_u=39, p=0.5), 0.5 ** 4),
            (uRBP(min_u=90), 0.2),
            (uRBP(max_u=40, rel=2), 0.2 * 0.8),
            (RBPu(max_u=40), 0.2 * (0.8 + 0.8 ** 2 + 0.8 ** 3)),
            (RBPu(min_u=40, p=0.5)@2, 0.5 * (1 + 0.5)),
            (HRBP(max_u=40, p=0.5)@2, 2 * 0.75 * 0.25 / (0.75 + 0.25)), # RBP@2 = .75, RBPu@2 = .25
            (HRBP(max_u=40)@1, 0.),
        ]:
            with self.subTest(measure=measure):
                self.assertTrue(ir_measures.urbp.supports(measure))
                self.assertEqual(ir_measures.parse_measure(str(measure)), measure)
                results = {r.query_id: r.value for r in measure.iter_calc(iter(QRELS), iter(RUN))}
                self.assertAlmostEqual(results['0'], expected, delta=1e-12)
                self.assertEqual(results['1'], 0.)

    def test_gains(self):
        qrels = [q._replace(understandability=u) for q, u in zip(QRELS, [.5, 1, 1, float('nan')])]
        self.assertAlmostEqual(uRBP.calc_aggregate(qrels, RUN), 0.2 * (0.5 + 0.8), delta=1e-12)
        with self.assertRaisesRegex(ValueError, 'not a gain'):
            uRBP.calc_aggregate(QRELS, RUN)

    def test_all_understandable_is_rbp(self):
        qrels = [q for q in QRELS if q.query_id == '0']
        expected = sum(0.2 * 0.8 ** i for i in (0, 1, 3))
        self.assertAlmostEqual(uRBP(max_u=100).calc_aggregate(qrels, RUN), expected, delta=1e-12)
        if ir_measures.cwl_eval.is_available():
            self.assertAlmostEqual(RBP(rel=1).calc_aggregate(qrels, RUN), expected, delta=1e-9)

    def test_forms_of_qrels(self):
        import pandas as pd
        frame = pd.DataFrame(QRELS)
        self.assertEqual(uRBP(max_u=40).calc_aggregate(frame, RUN), uRBP(max_u=40).calc_aggregate(QRELS, RUN))
        for qrels in [{'0': {'D0': 1}}, frame.drop(columns='understandability')]:
            with self.assertRaisesRegex(ValueError, 'a field understandability'):
                uRBP(max_u=40).calc_aggregate(qrels, RUN)
        with self.assertRaisesRegex(ValueError, 'exclude'):
            uRBP(max_u=40, min_u=2).calc_aggregate(QRELS, RUN)


if __name__ == '__main__':
    unittest.main()
