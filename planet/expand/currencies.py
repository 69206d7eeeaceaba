"""Amounts in the money of a country: the catalog's bounds are in dollars, and 90 is no price in yen."""

from math import floor, log10

from planet.records.world import Column, Resource

PER_DOLLAR = {
    "AED": 4, "ARS": 1000, "AUD": 1.5, "BRL": 5, "CAD": 1.4, "CHF": 1, "CLP": 900, "CNY": 7, "COP": 4000,
    "CZK": 25, "DKK": 7, "EGP": 50, "EUR": 1, "GBP": 0.8, "GHS": 15, "HUF": 350, "IDR": 16000, "ILS": 4,
    "INR": 80, "JPY": 150, "KES": 130, "KRW": 1300, "MAD": 10, "MXN": 20, "MYR": 4, "NGN": 1500, "NOK": 10,
    "NZD": 1.6, "PEN": 4, "PHP": 60, "PLN": 4, "RON": 4, "SEK": 10, "SGD": 1.4, "THB": 35, "TRY": 35,
    "UAH": 40, "USD": 1, "VND": 25000, "ZAR": 20,
}  # fmt: skip
"""Units of a currency that buy about what a dollar does in trade, in round numbers; others count as 1."""

WHOLE = frozenset({"CLP", "COP", "HUF", "IDR", "JPY", "KRW", "NGN", "VND"})
"""Currencies whose prices have no decimals."""


def priced(resources: tuple[Resource, ...], currency: str) -> tuple[Resource, ...]:
    """The tables with the bounds of their amounts in `currency`, to two significant digits."""
    rate = PER_DOLLAR.get(currency, 1)
    return resources if rate == 1 else tuple(_priced(resource, rate) for resource in resources)


def _priced(resource: Resource, rate: float) -> Resource:
    columns = tuple(_in_money(c, rate) if c.unit == "currency" else c for c in resource.columns)
    return resource.replace(columns=columns)  # type: ignore[no-any-return]


def _in_money(column: Column, rate: float) -> Column:
    low, high = column.low * rate, column.high * rate
    if _round(low) < _round(high):
        low, high = _round(low), _round(high)
    return column.replace(low=low, high=high)  # type: ignore[no-any-return]


def _round(value: float) -> float:
    if value == 0:
        return 0.0
    step = 10.0 ** (floor(log10(abs(value))) - 1)
    return float(round(value / step) * step)


def step_of(high: float, currency: str) -> float:
    """What amounts up to `high` are multiples of: a thousandth of the power of ten below it, or a cent."""
    least = 1.0 if currency in WHOLE else 0.01
    return max(least, 10.0 ** (floor(log10(high)) - 3)) if high > 0 else least
