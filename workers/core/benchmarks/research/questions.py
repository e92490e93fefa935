"""Draws questions of three levels from the facts. Each has one right answer, by a clear margin."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Any

from workers.core.benchmarks.research.facts import FIELDS, Country, Field, countries
from workers.core.benchmarks.research.files import FORMS, Cell, table_file
from workers.core.benchmarks.research.places import places
from workers.core.specs import TaskSpec

LEVELS = (1, 2, 3)
LEVEL, PAGES = "level", "pages"
"""Keys of `TaskSpec.metadata`: the level, and the pages that have the facts. First those of
countries, then articles about places."""
TRIES = 400
"""Limit of the draws for one question, and of repeated questions in a row."""
MARGIN = Decimal("0.05")
"""How much two figures that are compared differ at least, in parts of the larger one."""
SUMMED = tuple(each for each in FIELDS if each.key not in ("height", "age", "life"))
"""What can be added up over countries."""
SOURCE = "Use the figures of the World Factbook."
BY_CAPITAL, BY_PLACE = "the country whose capital is {}", "the country where {} is"
CALLED = {"name": 3, "capital": 3, "place": 6}
"""How often a question calls a country in which way, where it can."""


class NoQuestion(Exception):
    """There are hardly as many. The sentence says what to do."""


@dataclass(frozen=True, slots=True)
class Question:
    """`reference`: a name or a number. `pages`: what has to be read."""

    text: str
    reference: str
    pages: tuple[str, ...]
    files: tuple[dict[str, Any], ...] = field(default=())

    @property
    def is_number(self) -> bool:
        return self.reference not in countries()


def questions(
    *, split: str, count: int, seed: int, levels: Sequence[int] = LEVELS
) -> Iterator[TaskSpec]:
    """`count` different questions, their levels in turn. The same arguments give the same ones.
    Raises NoQuestion, NoFacts."""
    seen: set[str] = set()
    while len(seen) < count:
        level = levels[len(seen) % len(levels)]
        for _ in range(TRIES):
            question = _drawn(level, split, seed)
            seed += 1
            if question.text not in seen:
                break
        else:
            raise NoQuestion(
                f"The split “{split}” has hardly more than {len(seen)} questions of these levels. "
                "Ask for fewer, or for more levels."
            )
        seen.add(question.text)
        yield _task(question, level)


def _drawn(level: int, split: str, seed: int) -> Question:
    generator = random.Random(f"{level} {split} {seed}")  # noqa: S311  questions, no secrets
    own = [country for country in countries().values() if country.split == split]
    makers = _MAKERS[level]
    for _ in range(TRIES):
        if question := generator.choice(makers)(generator, own):
            return question
    raise NoQuestion(f"There are no questions of level {level} in the split “{split}”.")


def _task(question: Question, level: int) -> TaskSpec:
    more: dict[str, Any] = {"files": list(question.files)} if question.files else {}
    if not question.is_number:
        more["aliases"] = list(countries()[question.reference].also)
    return TaskSpec(
        query=f"{question.text} {SOURCE}",
        reference=question.reference,
        domain=f"research level {level}",
        verifier="numeric" if question.is_number else "exact",
        metadata={LEVEL: level, PAGES: [*question.pages, *_articles(question)], **more},
    )


# -- level 1


def _difference(generator: random.Random, own: Sequence[Country]) -> Question | None:
    asked = generator.choice(FIELDS)
    one, other = generator.sample(_with(own, asked), 2)
    if not apart(one.facts[asked.key], other.facts[asked.key]):
        return None
    more, less = sorted((one, other), key=lambda each: each.facts[asked.key], reverse=True)
    text = (
        f"By how {_many(asked)} is the {asked.asked} of {_called(generator, more)} {asked.more} "
        f"than that of {_called(generator, less)}?"
    )
    return _calculated(text, more.facts[asked.key] - less.facts[asked.key], asked, (more, less))


def _sum_of_two(generator: random.Random, own: Sequence[Country]) -> Question | None:
    asked = generator.choice(SUMMED)
    one, other = generator.sample(_with(own, asked), 2)
    text = (
        f"What is the {asked.asked} of {_called(generator, one)} and that of "
        f"{_called(generator, other)}{_in(asked)}, added together?"
    )
    return _calculated(text, one.facts[asked.key] + other.facts[asked.key], asked, (one, other))


# -- level 2


def _neighbour(generator: random.Random, own: Sequence[Country]) -> Question | None:
    asked = generator.choice(FIELDS)
    found = _ranked(generator.choice(own), asked)
    if found is None:
        return None
    start, ranked = found
    text = f"Which of the countries that border {_called(generator, start)} has the "
    text += f"{most(asked)} {asked.asked}?"
    return Question(text, ranked[0].name, _pages(start, *ranked))


def _of_neighbour(generator: random.Random, own: Sequence[Country]) -> Question | None:
    """A neighbour's figure alone would stand on its page, so it is compared with the start's."""
    chosen, asked = generator.sample(FIELDS, 2)
    found = _ranked(generator.choice(own), chosen)
    if found is None:
        return None
    start, ranked = found
    one, other = start.facts.get(asked.key), ranked[0].facts.get(asked.key)
    if not one or not other or not apart(one, other):
        return None
    called = _called(generator, start)
    text = (
        f"Of the countries that border {called}, take the one with the {most(chosen)} "
        f"{chosen.asked}. What is the difference between its {asked.asked} and that of "
        f"{called}{_in(asked)}?"
    )
    return _calculated(text, abs(one - other), asked, (start, *ranked))


def _sum_of_neighbours(generator: random.Random, own: Sequence[Country]) -> Question | None:
    start, asked = generator.choice(own), generator.choice(SUMMED)
    around = _around(start, asked)
    if around is None:
        return None
    text = (
        f"Add together the {asked.asked} of each country that borders "
        f"{_called(generator, start)}. What is the sum{_in(asked)}?"
    )
    total = sum((each.facts[asked.key] for each in around), Decimal(0))
    return _calculated(text, total, asked, (start, *around))


# -- level 3


def _journey(generator: random.Random, own: Sequence[Country]) -> Question | None:
    first, second, asked = generator.sample(FIELDS, 3)
    one = _ranked(generator.choice(own), first)
    if one is None:
        return None
    start, first_ranked = one
    two = _ranked(first_ranked[0], second, without=start.name)
    if two is None:
        return None
    end = two[1][0]
    if not {asked.key} <= start.facts.keys() & end.facts.keys():
        return None
    if not apart(start.facts[asked.key], end.facts[asked.key]):
        return None
    text = (
        f"Start in {_called(generator, start)}. Go to the country with the {most(first)} "
        f"{first.asked} among those that border it. From there go to the country with the "
        f"{most(second)} {second.asked} among those that border that one, not counting where you "
        f"started. What is the difference between the {asked.asked} of where you are now and "
        f"that of where you started{_in(asked)}?"
    )
    difference = abs(start.facts[asked.key] - end.facts[asked.key])
    return _calculated(text, difference, asked, (start, *first_ranked, *two[1]))


def _deliveries(generator: random.Random, own: Sequence[Country]) -> Question | None:
    asked = generator.choice(FIELDS)
    found = [each for each in _with(own, asked) if _is_known_by_capital(each)]
    if len(found) < 6:
        return None
    chosen = generator.sample(found, generator.randint(4, 6))
    values = sorted(each.facts[asked.key] for each in chosen)
    cut = generator.randrange(1, len(values))
    if not apart(values[cut - 1], values[cut], by=3 * MARGIN):
        return None
    limit = _between(values[cut - 1], values[cut])
    amounts = [generator.randint(11, 990) for _ in chosen]
    rows: list[tuple[Cell, Cell]] = [("City", "Parcels")]
    rows += [(each.capital, amount) for each, amount in zip(chosen, amounts, strict=True)]
    name = f"deliveries-{generator.randint(100, 999)}"
    file = table_file(generator.choice(FORMS), name, rows)
    text = (
        f"The attached file {file['name']} lists capital cities and how many parcels each gets. "
        f"How many parcels go to countries whose {asked.asked} is {asked.more} than "
        f"{written(limit)}{f' {asked.unit}' if asked.unit else ''}?"
    )
    pairs = zip(chosen, amounts, strict=True)
    total = sum(amount for country, amount in pairs if country.facts[asked.key] > limit)
    return Question(text, str(total), _pages(*chosen), (file,))


Maker = Callable[[random.Random, Sequence[Country]], Question | None]
_MAKERS: Mapping[int, tuple[Maker, ...]] = {
    1: (_difference, _sum_of_two),
    2: (_neighbour, _of_neighbour, _sum_of_neighbours),
    3: (_journey, _deliveries),
}


# -- parts


def apart(one: Decimal, other: Decimal, *, by: Decimal = MARGIN) -> bool:
    return abs(one - other) >= by * max(abs(one), abs(other)) > 0


def _with(own: Sequence[Country], asked: Field) -> list[Country]:
    return [each for each in own if each.facts.get(asked.key)]


def _around(start: Country, asked: Field, without: str = "") -> list[Country] | None:
    """Its neighbours, if there are two or more and each has the fact."""
    names = [name for name in start.neighbours or () if name != without]
    found = [countries()[name] for name in names]
    complete = len(found) >= 2 and all(each.facts.get(asked.key) for each in found)
    return found if complete else None


def _ranked(
    start: Country, asked: Field, without: str = ""
) -> tuple[Country, list[Country]] | None:
    """Its neighbours, the one with most first; None unless that one is clearly ahead."""
    around = _around(start, asked, without)
    if around is None:
        return None
    ranked = sorted(around, key=lambda each: each.facts[asked.key], reverse=True)
    ahead = apart(ranked[0].facts[asked.key], ranked[1].facts[asked.key])
    return (start, ranked) if ahead else None


def _calculated(
    text: str, value: Decimal, asked: Field, read: Sequence[Country]
) -> Question | None:
    """None if one of the pages has the number, too."""
    number = f"{value:,.{asked.decimals}f}"
    if any(_stands_on(each.name, number) for each in read):
        return None
    return Question(text, written(value), _pages(*read))


@lru_cache(maxsize=20_000)
def _stands_on(name: str, number: str) -> bool:
    """Kept: the same numbers are drawn again and again, and pages are long."""
    page = countries()[name].text
    return number in page or number.replace(",", "") in page


def _called(generator: random.Random, country: Country) -> str:
    """By its name, by its capital where that says which country it is, or by a place in it, of
    which another page says so."""
    around = places().get(country.name, ())
    ways = {"name": country.name}
    if _is_known_by_capital(country):
        ways["capital"] = BY_CAPITAL.format(country.capital)
    if around:
        ways["place"] = BY_PLACE.format(generator.choice(around))
    (way,) = generator.choices(list(ways), [CALLED[each] for each in ways])
    return ways[way]


def _articles(question: Question) -> list[str]:
    """Those about the places by which the question calls countries."""
    own = (title for page in question.pages for title in places().get(page, ()))
    return [title for title in own if BY_PLACE.format(title) in question.text]


def _is_known_by_capital(country: Country) -> bool:
    """Some share one: Kingston is Jamaica's and Norfolk Island's."""
    same = [each for each in countries().values() if each.capital == country.capital]
    return bool(country.capital) and len(same) == 1


def _pages(*read: Country) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.name for each in read))


def _many(asked: Field) -> str:
    return f"many {asked.unit}" if asked.unit else "much"


def _in(asked: Field) -> str:
    return f" (in {asked.unit})" if asked.unit else ""


def most(asked: Field) -> str:
    return {"larger": "largest", "longer": "longest", "higher": "highest"}[asked.more]


def written(value: Decimal) -> str:
    return f"{value.normalize():f}"


def _between(low: Decimal, high: Decimal) -> Decimal:
    """A round number between the two."""
    middle = (low + high) / 2
    digits = max(0, middle.adjusted() - 1)
    rounded = (middle / 10**digits).to_integral_value() * 10**digits
    return rounded if low < rounded < high else middle.quantize(Decimal("0.1"))
