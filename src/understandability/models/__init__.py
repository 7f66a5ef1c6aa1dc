"""Numbers to difficulty and P(U|d): a batch of documents goes in, an `Estimate` of each comes out.

    bundle = load_bundle("default")
    estimates = bundle.estimate(batch, threshold=40, user="calibrated")

`users` turns any score into P(U|d); `calibration` maps a model's output to difficulty; `bundles`
holds trained models: `mixture`, `judged`, `background`, or a column alone (`models`).
`contributions` tell what moved an estimate. `labelled` reads judged texts. What models are made of:
`estimators`, in training; `predictors` and `forest`, as arrays that are checked before they are
used; `portable` makes the second of the first.
"""

from understandability.models.bundle import DEFAULT_BUNDLE, Bundle, load_bundle
from understandability.models.readers import USERS, probability

__all__ = ["DEFAULT_BUNDLE", "USERS", "Bundle", "load_bundle", "probability"]
