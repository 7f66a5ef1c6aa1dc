"""Numbers to level, difficulty and P(U|d).

In: a batch of documents. Out: an `Estimate` of each; or, in training, a `Bundle`.

    bundle = load_bundle("open")
    estimates = bundle.estimate(batch, threshold=40, user="calibrated")

`readers` turns any score into P(U|d); `calibration` maps a model's output to difficulty; `bundle`
holds a trained model with its `card`. `contributions` tell what moved an estimate. `runtime` holds
what scoring needs, `training` what learning needs; `estimators` is the table that both know.
"""

from understandability.models.bundle import DEFAULT_BUNDLE, Bundle, load_bundle
from understandability.models.readers import USERS, probability

__all__ = ["DEFAULT_BUNDLE", "USERS", "Bundle", "load_bundle", "probability"]
