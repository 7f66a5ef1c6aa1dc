"""Numbers to difficulty and P(U|d): a batch of documents goes in, an `Estimate` of each comes out.

    bundle = load_bundle("default")
    estimates = bundle.estimate(batch, threshold=40, user="calibrated")

`users` turns any score into P(U|d); `bundles` holds trained models.
"""

from understandability.estimation.bundles import DEFAULT_BUNDLE, Bundle, load_bundle
from understandability.estimation.users import USERS, probability

__all__ = ["DEFAULT_BUNDLE", "USERS", "Bundle", "load_bundle", "probability"]
