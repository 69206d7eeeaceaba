"""Charts as inline SVG. Colours come from the page's style sheet, so they follow light, dark and print."""

from collections.abc import Iterator, Sequence
from math import ceil, floor, log10
from typing import NamedTuple

from analysis.intervals import Interval
from analysis.report.markup import Html, element, together

WIDTH, HEIGHT = 360, 200
LEFT, RIGHT, TOP, BOTTOM = 44, 18, 8, 34
"""Pixels of a chart and its margins, before the browser scales it."""
LOOKS = 7
"""Series that look different; a page with more arms repeats them."""


LARGEST = 1e300
"""Values up to which differences are numbers."""


class Series(NamedTuple):
    """One line. `low` and `high` are a band around it; None in `y`, or no finite number: not measured."""

    name: str
    x: Sequence[float]
    y: Sequence[float | None]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None


def line_chart(title: str, series: Sequence[Series], x_label: str, *, share: bool = False) -> Html:
    """Lines over a shared axis, the y axis from 0 if nothing is negative. `share`: y is shown in percent."""
    drawn = [s for s in map(_finite, series) if any(y is not None for y in s.y)]
    if not drawn:
        return Html("")
    plane = _Plane.around(drawn)
    parts = [_grid(plane, share), *(_line(s, i, plane) for i, s in enumerate(drawn)), _label(x_label)]
    picture = element(
        "svg",
        element("title", f"{title}, over {x_label}"),
        *parts,
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
    )
    return element(
        "figure", element("figcaption", title), picture, _legend(drawn) if len(drawn) > 1 else None
    )


def _finite(series: Series) -> Series:
    """The series without values that no plane holds (a trainer that diverges measures them)."""
    y = [None if y is None or not abs(y) < LARGEST else y for y in series.y]
    edges = (*(series.low or ()), *(series.high or ()))
    if all(abs(edge) < LARGEST for edge in edges):
        return series._replace(y=y)
    return series._replace(y=y, low=None, high=None)


def rate_text(rate: Interval) -> str:
    """A rate in [0, 1] in percent, with its interval if that has a width."""
    return f"{rate.mean:.0%}" + (f" [{rate.low:.0%}, {rate.high:.0%}]" if rate.low < rate.high else "")


def rate_bar(rate: Interval, name: str) -> Html:
    """A rate in [0, 1] as a bar, its interval as a whisker if that has a width."""
    spread = rate_text(rate)
    low, high = 2 + 96 * rate.low, 2 + 96 * rate.high
    whisker = element("path", d=f"M{low:.1f} 8H{high:.1f}M{low:.1f} 5v6M{high:.1f} 5v6", class_="whisker")
    return element(
        "svg",
        element("title", f"{name}: {spread}"),
        element("rect", x=2, y=3, width=96, height=10, class_="track"),
        element("rect", x=2, y=3, width=f"{96 * rate.mean:.1f}", height=10, class_="bar"),
        whisker if rate.low < rate.high else None,
        viewBox="0 0 100 16",
        class_="rate",
        role="img",
    )


class _Plane(NamedTuple):
    """What part of the plane is shown: from 0, or the smallest value, to the largest."""

    left: float
    right: float
    bottom: float
    top: float

    @classmethod
    def around(cls, series: Sequence[Series]) -> "_Plane":
        """The plane that holds all series and their bands."""
        xs = [x for s in series for x in s.x]
        bands = [v for s in series for v in (*(s.low or ()), *(s.high or ()))]
        ys = [y for s in series for y in s.y if y is not None] + bands
        bottom, top = min(0.0, *ys), max(ys)
        left, right = min(xs), max(xs)
        return cls(left, right if right > left else left + 1, bottom, top if top > bottom else bottom + 1)

    def place(self, x: float, y: float) -> str:
        """A point in pixels."""
        across = LEFT + (x - self.left) / (self.right - self.left) * (WIDTH - LEFT - RIGHT)
        return f"{across:.1f},{self.height_of(y):.1f}"

    def height_of(self, y: float) -> float:
        """The pixel row of a value."""
        return HEIGHT - BOTTOM - (y - self.bottom) / (self.top - self.bottom) * (HEIGHT - TOP - BOTTOM)


def _line(series: Series, index: int, plane: _Plane) -> Html:
    points = [(x, y) for x, y in zip(series.x, series.y, strict=True) if y is not None]
    look = f"s{index % LOOKS}"
    band = None
    if series.low is not None and series.high is not None:
        edge = [
            *zip(series.x, series.high, strict=True),
            *reversed([*zip(series.x, series.low, strict=True)]),
        ]
        band = element("polygon", points=" ".join(plane.place(*p) for p in edge), class_=f"band {look}")
    places = [plane.place(*point) for point in points]
    line = element("polyline", points=" ".join(places), class_=f"line {look}")
    dots = None
    if len(points) <= 12:
        marks = [place.split(",") for place in places]
        dots = together(element("circle", cx=x, cy=y, r=2.5, class_=f"dot {look}") for x, y in marks)
    return together(part for part in (band, line, dots) if part is not None)


def _grid(plane: _Plane, share: bool) -> Html:
    parts = []
    for value in ticks(plane.bottom, plane.top):
        row = f"{plane.height_of(value):.1f}"
        shown = f"{value:.0%}" if share else _short(value)
        parts.append(element("path", d=f"M{LEFT} {row}H{WIDTH - RIGHT}", class_="grid"))
        parts.append(element("text", shown, x=LEFT - 5, y=row, class_="y"))
    for value in ticks(plane.left, plane.right):
        column = plane.place(value, plane.bottom).split(",")[0]
        parts.append(element("text", _short(value), x=column, y=HEIGHT - BOTTOM + 14, class_="x"))
    return together(parts)


def _label(words: str) -> Html:
    return element("text", words, x=(LEFT + WIDTH - RIGHT) / 2, y=HEIGHT - 4, class_="x")


def _legend(series: Sequence[Series]) -> Html:
    def key(index: int, name: str) -> Html:
        line = element("path", d="M0 5H22", class_=f"line s{index % LOOKS}")
        sample = element("svg", line, viewBox="0 0 22 10", class_="key", aria_hidden="true")
        return element("span", sample, " ", name)

    return element("div", together(key(i, s.name) for i, s in enumerate(series)), class_="legend")


def ticks(low: float, high: float) -> list[float]:
    """About five round numbers from `low` to `high`."""
    step = _round_step((high - low) / 5)
    return list(_between(ceil(low / step - 1e-9), floor(high / step + 1e-9), step))


def _between(first: int, last: int, step: float) -> Iterator[float]:
    for number in range(first, last + 1):
        yield number * step


def _round_step(rough: float) -> float:
    unit = 10.0 ** floor(log10(rough))
    return next((m * unit for m in (1, 2, 5) if rough <= m * unit * (1 + 1e-9)), 10 * unit)


def _short(value: float) -> str:
    return f"{value / 1000:g}k" if abs(value) >= 10_000 else f"{value:.4g}"
