"""How many chips an accelerator type has, and what they cost by the price that the user gives."""

import re

from tpu_scripts.errors import UseError

_CORES = ("v2", "v3", "v4", "v5p")
_CHIPS = ("v5litepod", "v6e")
# The number in a type counts TensorCores, two to a chip, up to v5p, and chips in v5e and v6e:
# cloud.google.com/tpu/docs/v4, /v5p, /v5e and /v6e ("Configurations").


def chips(accelerator_type: str) -> int:
    """Chips of a type such as v5litepod-8 (8) or v4-8 (4); UseError for a type that is not known."""
    found = re.fullmatch(r"([a-z0-9]+)-([1-9][0-9]{0,4})", accelerator_type)
    if found:
        generation, number = found.group(1), int(found.group(2))
        if generation in _CHIPS:
            return number
        if generation in _CORES and number % 2 == 0:
            return number // 2
    raise UseError(
        f"accelerator_type: {accelerator_type!r} is not known; give one of {', '.join(_CORES + _CHIPS)}, "
        "a dash and a number, e.g. v5litepod-8 (later generations are not served by this interface)"
    )


def hosts(accelerator_type: str) -> int:
    """Machines of a type: 4 chips each, but up to 8 of v5e and v6e in a single one; UseError as `chips`.

    cloud.google.com/tpu/docs/v4, /v5p, /v5e and /v6e ("Configurations").
    """
    number = chips(accelerator_type)
    alone = 8 if accelerator_type.startswith(_CHIPS) else 4
    return 1 if number <= alone else number // 4


def cost(accelerator_type: str, price: float | None, hours: float | None = None) -> list[str]:
    """Lines that say what a slice costs; UseError when a total is asked for and there is no price."""
    number = chips(accelerator_type)
    if price is None:
        if hours is not None:
            raise UseError(
                "price_per_chip_hour: not set, so the cost of some hours cannot be told; look it up and give "
                "--set price_per_chip_hour=PRICE"
            )
        return [f"price: unknown ({number} chips; set price_per_chip_hour to see it)"]
    hourly = number * price
    lines = [f"price: {number} chips x {price:g} = {hourly:.2f} an hour, from creation to deletion"]
    if hours is not None:
        lines.append(f"price of {hours:g} hours: {hourly * hours:.2f}")
    return lines
