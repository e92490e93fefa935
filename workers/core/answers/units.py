"""The units that quantities are converted between. Any other unit is only a word."""

from fractions import Fraction

_DIMENSIONS: dict[str, dict[str, Fraction]] = {
    "length": {
        "mm millimeter millimetre": Fraction(1, 1000),
        "cm centimeter centimetre": Fraction(1, 100),
        "m meter metre": Fraction(1),
        "km kilometer kilometre": Fraction(1000),
        "inch inches": Fraction(254, 10_000),
        "ft foot feet": Fraction(3048, 10_000),
        "yd yard": Fraction(9144, 10_000),
        "mi mile": Fraction(1_609_344, 1000),
    },
    "mass": {
        "mg milligram": Fraction(1, 1000),
        "g gram": Fraction(1),
        "kg kilogram kilo": Fraction(1000),
        "tonne": Fraction(1_000_000),
        "oz ounce": Fraction(45_359_237, 1_600_000),
        "lb lbs": Fraction(45_359_237, 100_000),
    },
    "time": {
        "ms millisecond": Fraction(1, 1000),
        "s sec secs second": Fraction(1),
        "min mins minute": Fraction(60),
        "h hr hrs hour": Fraction(3600),
        "day": Fraction(86_400),
        "week": Fraction(604_800),
    },
    "calendar": {"month": Fraction(1), "yr yrs year": Fraction(12), "decade": Fraction(120)},
    "volume": {"ml milliliter millilitre": Fraction(1, 1000), "l liter litre": Fraction(1)},
    "dollars": {"$ usd dollar buck": Fraction(1), "¢ cent": Fraction(1, 100)},
    "euros": {"€ eur euro": Fraction(1)},
    "pounds sterling": {"£ gbp": Fraction(1)},
    "count": {"dozen dozens": Fraction(12)},
}


def _table() -> dict[str, tuple[str, Fraction]]:
    table = {}
    for dimension, units in _DIMENSIONS.items():
        for names, factor in units.items():
            for name in names.split():
                table[name] = (dimension, factor)
                if len(name) > 3:
                    table.setdefault(f"{name}s", (dimension, factor))
    return table


UNITS = _table()
"""Name → (dimension, factor to the dimension's base unit). Names are in lower case."""
