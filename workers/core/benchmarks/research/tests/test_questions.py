"""Questions that need research: right by the facts, and no split knows another's."""

import base64
import io
import re
from collections import Counter
from decimal import Decimal
from typing import Any

import pytest
from openpyxl import load_workbook

from workers.core.benchmarks.registry import VERIFIERS
from workers.core.benchmarks.research import facts
from workers.core.benchmarks.research.facts import FIELDS, countries, number_in
from workers.core.benchmarks.research.files import FORMS, Cell, table_file
from workers.core.benchmarks.research.packages import NoFacts
from workers.core.benchmarks.research.places import places
from workers.core.benchmarks.research.questions import (
    LEVELS,
    NoQuestion,
    apart,
    questions,
    written,
)
from workers.core.specs import TaskSpec

BY_ASKED = {field.asked: field for field in FIELDS}
ASKED = "|".join(BY_ASKED)
MOST = "(?:largest|longest|highest)"
IN = r"(?: \(in [\w ]+\))?"


def drawn(count: int = 120, split: str = "train", seed: int = 0, **more: Any) -> list[TaskSpec]:
    return list(questions(split=split, count=count, seed=seed, **more))


def about(text: str) -> str:
    """The country that a part of a question names."""
    if match := re.fullmatch("the country where (.+) is", text):
        (country,) = [each for each, titles in places().items() if match[1] in titles]
        return country
    called = text.removeprefix("the country whose capital is ")
    if called == text:
        return text
    (found,) = [each for each in countries().values() if each.capital == called]
    return found.name


def factbook(task: TaskSpec) -> list[str]:
    """Its pages that are countries'."""
    return [page for page in task.metadata["pages"] if page in countries()]


def fact(name: str, asked: str) -> Decimal:
    return countries()[name].facts[BY_ASKED[asked].key]


def around(name: str, without: str = "") -> list[str]:
    """The countries that border it."""
    return [each for each in countries()[name].neighbours or () if each != without]


def leading(names: list[str], asked: str) -> str:
    """The country with most; it is a twentieth ahead of every other."""
    best, *others = sorted(names, key=lambda name: fact(name, asked), reverse=True)
    assert all(fact(name, asked) <= fact(best, asked) * Decimal("0.95") for name in others)
    assert others
    return best


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("84,012,284 (2025 est.)", "84012284"),
        ("-3.5 m", "-3.5"),
        ("1.4 million (2024)", "1400000"),
        ("0 km (landlocked)", "0"),
        ("46.9 years", "46.9"),
        ("about 20 km", None),
        ("no permanent inhabitants", None),
        ("", None),
    ],
)
def test_numbers_are_read(text: str, number: str | None) -> None:
    assert number_in(text) == (None if number is None else Decimal(number))


def test_pages_say_what_they_say() -> None:
    germany = countries()["Germany"]
    assert (germany.capital, len(germany.neighbours or ())) == ("Berlin", 9)
    assert germany.facts["coast"] == 2389
    assert "Federal Republic of Germany" in germany.also
    assert countries()["Angola"].neighbours is None, "a neighbour's length is in two parts"
    assert len(countries()) > 240
    assert min(Counter(f for each in countries().values() for f in each.facts).values()) > 130


def test_places_are_in_one_country_by_their_article() -> None:
    by_place = {title: country for country, titles in places().items() for title in titles}
    assert len(by_place) == sum(map(len, places().values())) > 200
    known = ("Angkor Wat", "Çatalhöyük", "Eiffel Tower", "Serengeti National Park", "Zurich")
    assert [by_place[title] for title in known] == [
        "Cambodia", "Turkey", "France", "Tanzania", "Switzerland",
    ]  # fmt: skip
    # A country itself, far away, a capital, in Georgia of the United States, no place, and near
    # another country.
    others = ("Greenland", "Martinique", "Vienna", "Atlanta", "Lemur", "Quebec")
    assert not by_place.keys() & {*others, *countries()}
    assert not [title for title in by_place if "Mexico" in title]


def test_a_country_is_called_by_a_place_that_another_page_tells_of() -> None:
    found = [task for task in drawn(300) if "the country where " in task.query]
    assert len(found) > 40
    for task in found:
        called = re.findall("the country where (.+?) is", task.query)
        articles = task.metadata["pages"][len(factbook(task)) :]
        assert set(articles) <= set(called), "they come after the countries' pages"
        assert {about(f"the country where {title} is") for title in articles} <= set(factbook(task))


def test_the_same_seed_draws_the_same_questions_in_turn() -> None:
    first = drawn()
    assert first == drawn()
    assert first != drawn(seed=1_000)
    assert len({task.query for task in first}) == len(first)
    assert [task.metadata["level"] for task in first[:4]] == [1, 2, 3, 1]
    assert {task.metadata["level"] for task in drawn(6, levels=(2,))} == {2}


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_a_question_asks_about_countries_of_its_split_alone(split: str) -> None:
    """The neighbours of one may be of others."""
    for task in drawn(60, split, seed=7):
        pages = factbook(task)
        named = pages if task.metadata["level"] == 1 or "files" in task.metadata else pages[:1]
        assert {countries()[name].split for name in named} == {split}


async def test_differences_and_sums_are_those_of_the_pages() -> None:
    pattern = re.compile(
        rf"By how (?:many [\w ]+?|much) is the ({ASKED}) of (.+?) "
        r"(?:larger|longer|higher) than that of (.+?)\?"
    )
    found = 0
    for task in drawn(200, levels=(1,)):
        if match := pattern.match(task.query):
            found += 1
            field = BY_ASKED[match.group(1)]
            one, other = (countries()[about(each)] for each in match.groups()[1:])
            assert task.reference == written(one.facts[field.key] - other.facts[field.key])
            assert not task.reference.startswith("-")
        verdict = await VERIFIERS["numeric"].verify(task, answer=task.reference, message="")
        assert verdict.correct
    assert found > 60


async def test_the_neighbour_with_most_is_clearly_ahead() -> None:
    pattern = re.compile(rf"Which of the countries that border (.+?) has the \w+ ({ASKED})\?")
    found = 0
    for task in drawn(300, levels=(2,)):
        if match := pattern.match(task.query):
            found += 1
            start, field = countries()[about(match.group(1))], BY_ASKED[match.group(2)]
            values = {n: countries()[n].facts[field.key] for n in start.neighbours or ()}
            best, second = sorted(values.values(), reverse=True)[:2]
            assert values[task.reference or ""] == best
            assert apart(best, second)
            assert set(factbook(task)) == {start.name, *values}
            for said in (task.reference, *task.metadata["aliases"]):
                verdict = await VERIFIERS["exact"].verify(task, answer=said, message="")
                assert verdict.correct
    assert found > 50


async def checked(pattern: str, task: TaskSpec) -> re.Match[str] | None:
    """The parts of such a question; its answer is right by the verifier."""
    match = re.match(pattern, task.query)
    if match:
        said = f"{Decimal(task.reference or ''):,}"
        assert (await VERIFIERS["numeric"].verify(task, answer=said, message="")).correct
    return match


async def test_sums_of_two_are_those_of_the_pages() -> None:
    pattern = rf"What is the ({ASKED}) of (.+?) and that of (.+?){IN}, added together\?"
    found = 0
    for task in drawn(200, levels=(1,)):
        if match := await checked(pattern, task):
            found += 1
            asked, one, other = match[1], about(match[2]), about(match[3])
            assert Decimal(task.reference or "") == fact(one, asked) + fact(other, asked)
            assert set(factbook(task)) == {one, other}
    assert found > 60


async def test_the_neighbour_with_most_is_compared_with_the_start() -> None:
    pattern = (
        rf"Of the countries that border (.+?), take the one with the {MOST} ({ASKED})\. "
        rf"What is the difference between its ({ASKED}) and that of (.+?){IN}\?"
    )
    found = 0
    for task in drawn(300, levels=(2,)):
        if match := await checked(pattern, task):
            found += 1
            start, asked = about(match[1]), match[3]
            assert match[4] == match[1]
            end = leading(around(start), match[2])
            difference = fact(end, asked) - fact(start, asked)
            assert Decimal(task.reference or "") == abs(difference) > 0
            assert set(factbook(task)) == {start, *around(start)}
    assert found > 50


async def test_the_sum_of_neighbours_counts_each_of_them() -> None:
    pattern = rf"Add together the ({ASKED}) of each country that borders (.+?)\. What is the sum"
    found = 0
    for task in drawn(300, levels=(2,)):
        if match := await checked(pattern, task):
            found += 1
            start = about(match[2])
            figures = [fact(name, match[1]) for name in around(start)]
            assert len(figures) > 1
            assert Decimal(task.reference or "") == sum(figures)
            assert set(factbook(task)) == {start, *around(start)}
    assert found > 50


async def test_a_journey_ends_where_its_question_leads() -> None:
    pattern = (
        rf"Start in (.+?)\. Go to the country with the {MOST} ({ASKED}) among those that border "
        rf"it\. From there go to the country with the {MOST} ({ASKED}) among those that border "
        r"that one, not counting where you started\. "
        rf"What is the difference between the ({ASKED}) of "
    )
    found = 0
    for task in drawn(300, levels=(3,)):
        if match := await checked(pattern, task):
            found += 1
            start, asked = about(match[1]), match[4]
            middle = leading(around(start), match[2])
            beyond = around(middle, without=start)
            end = leading(beyond, match[3])
            assert Decimal(task.reference or "") == abs(fact(start, asked) - fact(end, asked)) > 0
            assert set(factbook(task)) == {start, middle, *around(start), *beyond}
    assert found > 15


def rows_of(file: dict[str, str]) -> list[tuple[str, ...]]:
    if "content" in file:
        sheet = load_workbook(io.BytesIO(base64.b64decode(file["content"]))).active
        assert sheet is not None
        return [tuple(map(str, row)) for row in sheet.values]
    if file["name"].endswith("csv"):
        return [tuple(line.split(",")) for line in file["text"].splitlines()]
    return re.findall(r"<tr><td>(.+?)</td><td>(.+?)</td></tr>", file["text"])


def test_a_file_and_the_pages_give_the_answer() -> None:
    pattern = re.compile(rf"countries whose ({ASKED}) is \w+ than ([\d.]+)")
    forms = set()
    for task in drawn(60, levels=(3,)):
        if not (match := pattern.search(task.query)):
            continue
        (file,) = task.metadata["files"]
        forms.add(file["name"].rpartition(".")[2])
        (_, *rows), field = rows_of(file), BY_ASKED[match.group(1)]
        capitals = {each.capital: each for each in countries().values() if each.capital}
        over = [n for city, n in rows if capitals[city].facts[field.key] > Decimal(match.group(2))]
        assert task.reference == str(sum(map(int, over)))
        assert 0 < len(over) < len(rows)
    assert forms == set(FORMS)


def test_no_page_has_the_number_that_is_asked_for() -> None:
    """That of a file stands on no page but by chance."""
    found: Counter[int] = Counter()
    for task in drawn(300):
        if "attached" in task.query or task.verifier != "numeric":
            continue
        found[task.metadata["level"]] += 1
        field = BY_ASKED[re.findall(ASKED, task.query)[-1]]
        number = f"{Decimal(task.reference or ''):,.{field.decimals}f}"
        for name in factbook(task):
            assert number not in countries()[name].text
            assert number.replace(",", "") not in countries()[name].text
    assert min(found[level] for level in LEVELS) > 5


def test_a_table_is_the_same_bytes_each_time_and_its_cells_are_no_markup() -> None:
    rows: list[tuple[Cell, Cell]] = [("City", "Parcels"), ("<b>Bonn</b>", 3)]
    for form in FORMS:
        assert table_file(form, "t", rows) == table_file(form, "t", rows)
    assert "&lt;b&gt;Bonn" in table_file("html", "t", rows)["text"]


def test_too_many_questions_are_refused() -> None:
    with pytest.raises(NoQuestion, match="hardly more than"):
        drawn(5_000, "dev", levels=(2,))


def test_without_the_package_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts, "PACKAGE", "no_such_package")
    countries.cache_clear()
    with pytest.raises(NoFacts, match="Start bin/studio"):
        drawn(1)
    monkeypatch.undo()
    assert drawn(1)
