"""What an agent is asked of a subtask: answers flow along the task graph's edges (ReSo, §3.1).

A subtask names an answer that it needs as “the answer of s1”, by the subtask's id, or as “the
answer of Problem 1”, by its place in the graph. A number is put in its place, and a sum of such in
brackets is worked out, so that the question can be answered by itself; whatever else an agent wrote
is hostile, and stays a message that is quoted as one. Messages go by the same names, and of an
answer that is a number only the question and the number are read, not how it was found: a small
model otherwise goes on with the program that it reads instead of answering.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from workers.core.benchmarks.verifiers.quantities import is_number
from workers.core.mas.outcome import AgentOutcome
from workers.core.specs import AgentId, SubtaskSpec, TaskGraphSpec

NUMBER_CHARS = 40
"""Of an answer that is put into a question."""

_NAMED = re.compile(r"the answer of (Problem (?P<place>\d{1,3})|(?P<id>[A-Za-z0-9][\w.-]{0,62}))\b")
_BRACKETS = re.compile(r"\(([^()]{1,1000})\)")
_TERM = re.compile(r"\s*([+-]?)\s*(-?\d{1,40}(?:\.\d{1,40})?)\s*")


@dataclass(frozen=True, slots=True)
class Question:
    """A subtask as it is asked. `told`: the subtasks whose answers stand in the text."""

    text: str
    told: frozenset[AgentId] = field(default_factory=frozenset)


def question_of(
    subtask: SubtaskSpec, graph: TaskGraphSpec, answers: Mapping[AgentId, str]
) -> Question:
    """`answers`: of the subtasks that have one. Only what the subtask depends on is put in."""
    places = places_of(graph)
    ids = {place: each for each, place in places.items()}
    told: set[AgentId] = set()

    def put(found: re.Match[str]) -> str:
        place, named = found["place"], found["id"]
        needed = ids.get(int(place)) if place else named if named in places else None
        if needed is None or needed not in subtask.depends_on:
            return found[0]
        answer = answers.get(needed, "")
        if not _is_short_number(answer):
            return f"the answer of {name_of(places[needed])}"
        told.add(needed)
        return answer

    def work_out(found: re.Match[str]) -> str:
        if not _NAMED.search(found[1]):
            return found[0]
        total = _sum_of(_NAMED.sub(put, found[1]))
        return found[0] if total is None else total

    text = _NAMED.sub(put, _BRACKETS.sub(work_out, subtask.text))
    return Question(text, frozenset(told))


def heard(
    outcome: AgentOutcome,
    needed: SubtaskSpec,
    question: Question,
    *,
    place: int,
    answer: str | None,
) -> AgentOutcome:
    """What the reader of `question` hears of the subtask `needed`, the graph's `place`-th."""
    named = replace(outcome, name=name_of(place))
    if answer is None or not outcome.usable or not _is_short_number(answer):
        return named
    said = f"Answer: {answer}"
    return replace(named, message=said if needed.id in question.told else f"{needed.text}\n{said}")


def places_of(graph: TaskGraphSpec) -> dict[AgentId, int]:
    """From 1."""
    return {each.id: place for place, each in enumerate(graph.subtasks, start=1)}


def name_of(place: int) -> str:
    return f"Problem {place}"


def renamed(text: str, names: Mapping[str, str]) -> str:
    """A subtask that a planner wrote, once subtasks have other ids: old → new."""

    def rename(found: re.Match[str]) -> str:
        return f"the answer of {names.get(found['id'] or '', found[1])}"

    return _NAMED.sub(rename, text)


def _sum_of(text: str) -> str | None:
    """Of plain numbers added and subtracted; None for anything else."""
    total, place = Fraction(0), 0
    while place < len(text):
        term = _TERM.match(text, place)
        if term is None or (place > 0) != bool(term[1]):
            return None
        total += Fraction(term[2]) * (-1 if term[1] == "-" else 1)
        place = term.end()
    return str(total) if total.denominator == 1 else str(float(total))


def _is_short_number(answer: str) -> bool:
    return len(answer) <= NUMBER_CHARS and is_number(answer)
