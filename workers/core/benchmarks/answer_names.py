"""Finds the answers that a subtask's text names, and puts known answers into it.

“The answer of Problem 1” is that of the first subtask of the graph, “the answer of s1” that of the
subtask with this id. A number replaces its name, and a sum of such in brackets is computed, so a
question can be answered by itself: “(the answer of Problem 1 - 29) barrels” becomes “2 barrels”.
Brackets stay if the text beside them needs them: “2(7 + 3)” is not “210”. Other answers are not put
in: what agents wrote is hostile and is quoted as a message.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, localcontext

from workers.core.answers.quantities import is_number
from workers.core.specs import AgentId, SubtaskSpec, TaskGraphSpec

NUMBER_CHARS = 40
"""Character limit of an answer that is put into a question."""

EXACT = 200
"""Enough digits for any sum of numbers in a text of 1,000 characters."""

_NAMED = re.compile(
    r"[Tt]he answer of (Problem (?P<place>\d{1,3})|(?P<id>[A-Za-z0-9][\w.-]{0,62}))\b"
)
_BRACKETS = re.compile(r"\(([^()]{1,1000})\)")
_NUMBER = r"-?\d{1,40}(?:\.\d{1,40})?"
_FIRST = re.compile(rf"\s*(?P<sign>)(?P<number>{_NUMBER})\s*")
_PLAIN = re.compile(r"[^-/\s]+")
_MULTIPLIED = frozenset("^*/×÷·")
_ADDED = frozenset("+-−")
_FURTHER = re.compile(rf"(?P<sign>[+-])\s*(?P<number>{_NUMBER})\s*")


@dataclass(frozen=True, slots=True)
class Question:
    """A subtask as it is asked. `told`: the subtasks whose answers are in the text."""

    text: str
    told: frozenset[AgentId] = field(default_factory=frozenset)


def question_of(
    subtask: SubtaskSpec, graph: TaskGraphSpec, answers: Mapping[AgentId, str]
) -> Question:
    """`answers`: those of the subtasks that have one. Only answers that the subtask depends on are
    put in."""
    places = places_of(graph)
    ids = {place: each for each, place in places.items()}
    told: set[AgentId] = set()

    def put(found: re.Match[str]) -> str:
        answer = raw(found)
        return f"({answer})" if needs_brackets(answer, found) else answer

    def raw(found: re.Match[str]) -> str:
        place, named = found["place"], found["id"]
        needed = ids.get(int(place)) if place else named if named in places else None
        if needed is None or needed not in subtask.depends_on:
            return found[0]
        answer = answers.get(needed, "")
        if not is_short_number(answer):
            return answer_of(name_of(places[needed]))
        told.add(needed)
        return answer

    def work_out(found: re.Match[str]) -> str:
        if not _NAMED.search(found[1]):
            return found[0]
        total = _sum_of(_NAMED.sub(raw, found[1]))
        if total is None:
            return found[0]
        return f"({total})" if _touches(found) or needs_brackets(total, found) else total

    def needs_brackets(number: str, found: re.Match[str]) -> bool:
        if _PLAIN.fullmatch(number) or not is_short_number(number):
            return False
        before, after = _beside(found)
        return before in _MULTIPLIED | _ADDED or after in _MULTIPLIED

    text = _NAMED.sub(put, _BRACKETS.sub(work_out, subtask.text))
    return Question(text, frozenset(told))


def places_of(graph: TaskGraphSpec) -> dict[AgentId, int]:
    """The problem's number, from 1."""
    return {each.id: place for place, each in enumerate(graph.subtasks, start=1)}


def name_of(place: int) -> str:
    return f"Problem {place}"


def answer_of(name: str) -> str:
    return f"the answer of {name}"


def named_in(text: str, ids: Collection[str]) -> list[str]:
    """The subtasks whose answers a text names by id, in the text's order."""
    named = [found["id"] for found in _NAMED.finditer(text)]
    return list(dict.fromkeys(each for each in named if each in ids))


def renamed(text: str, names: Mapping[str, str]) -> str:
    """A planner's subtask with new ids of subtasks: old → new."""
    return _NAMED.sub(lambda found: answer_of(names.get(found["id"] or "", found[1])), text)


def is_short_number(answer: str) -> bool:
    return len(answer) <= NUMBER_CHARS and is_number(answer)


def _beside(found: re.Match[str]) -> tuple[str, str]:
    """The nearest non-space characters before and after; "" if there is none."""
    before, after = found.string[: found.start()].rstrip(), found.string[found.end() :].lstrip()
    return before[-1:], after[:1]


def _touches(found: re.Match[str]) -> bool:
    """Whether a number without its brackets would run into the text beside them."""
    before = found.string[found.start() - 1 : found.start()]
    after = found.string[found.end() : found.end() + 1]
    return before.isalnum() or before in {")", "_"} or after.isalnum() or after in {"(", "_"}


def _sum_of(text: str) -> str | None:
    """The result of adding and subtracting two or more plain numbers; None for anything else."""
    total, place, terms = Decimal(0), 0, 0
    while place < len(text):
        term = (_FURTHER if place else _FIRST).match(text, place)
        if term is None:
            return None
        with localcontext(prec=EXACT):
            total += Decimal(term["number"]) * (-1 if term["sign"] == "-" else 1)
        place, terms = term.end(), terms + 1
    if terms < 2:
        return None
    written = f"{total:f}"
    return written.rstrip("0").rstrip(".") if "." in written else written
