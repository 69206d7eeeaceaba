"""Many texts of a pool at once: the forms and parts of `Phrases` drawn in arrays instead of one by one."""

from typing import TYPE_CHECKING, NamedTuple

from planet.catalog import Catalog
from planet.catalog.phrases import SLOT

if TYPE_CHECKING:
    from numpy.random import Generator


class _Form(NamedTuple):
    template: str  # the form with `%s` for its slots
    choices: tuple[tuple[str, ...], ...]  # what may fill each of them


class Texts:
    """The pools of a catalog as a country fills them."""

    def __init__(self, catalog: Catalog, country: str) -> None:
        self._catalog, self._parts = catalog, catalog.country(country).parts
        self._forms: dict[str, tuple[_Form, ...]] = {}

    def draw(self, pool: str, count: int, rng: "Generator") -> list[str]:
        """`count` texts of the pool."""
        forms = self._forms.get(pool) or self._compiled(pool)
        if len(forms) == 1:
            return _filled(forms[0], count, rng)
        which = rng.integers(len(forms), size=count).tolist()
        stocks = [iter(_filled(form, which.count(number), rng)) for number, form in enumerate(forms)]
        return [next(stocks[number]) for number in which]

    def _compiled(self, pool: str) -> tuple[_Form, ...]:
        phrases = self._catalog.pool(pool)
        parts = self._parts | phrases.parts
        forms = self._forms[pool] = tuple(
            _Form(SLOT.sub("%s", form.replace("%", "%%")), tuple(parts[slot] for slot in SLOT.findall(form)))
            for form in phrases.forms
        )
        return forms


def _filled(form: _Form, count: int, rng: "Generator") -> list[str]:
    if not form.choices:
        return [form.template % ()] * count
    shares = rng.random((len(form.choices), count))
    words = [
        [options[place] for place in (share * len(options)).astype(int).tolist()]
        for options, share in zip(form.choices, shares, strict=True)
    ]
    return [form.template % filled for filled in zip(*words, strict=True)]
