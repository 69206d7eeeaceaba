"""What a company of an industry does: a few things are common, many are rare."""

from random import Random

from planet.catalog import Industry
from planet.identity import stream

EXPONENT = 0.9
"""Of Zipf's law over the sub-industries of an industry, in an order that is shuffled once and for all."""


def sub_industry(industry: Industry, rng: Random) -> str:
    """One of all descriptions of the industry, the further ones included."""
    texts = list(industry.sub_industries())
    stream("sub-industries", industry.name).shuffle(texts)
    return rng.choices(texts, [(rank + 2) ** -EXPONENT for rank in range(len(texts))])[0]
