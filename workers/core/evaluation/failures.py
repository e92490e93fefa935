"""Why an answer is wrong: the five categories of arXiv 2506.08507, by rules where a rule decides.

The paper names the categories but not how to find them. The rules are in this order. The first that
holds decides, and its sentence says what was seen:
 1. incorrect_role_selection: every agent refused, that is, each said itself that the query is
    outside its competence.
 2. task_forgetting: the agent that gave the answer was not shown the whole query, because it was
    cut to fit the context.
 3. premature_termination: the run ended without an answer, or the agent that gave it was stopped in
    the middle by the token limit.
 4. incorrect_verification: an agent had the right answer, an agent that read it did not keep it.
 5. slight_deviation: answer and reference are numbers, and they differ by at most 5% of the
    reference, in the sign alone, or by a power of ten up to 1000 (a slip of units or percent).
 6. incorrect_role_selection once more: ENOUGH_ROLES or more different roles can be judged, and none
    fits the query. What the trace shows goes before, and smaller teams are left to the judge: two
    in five roles of the query's own family do not reach `rationality.MATCH` either, so that a right
    team of one is missed as often, and one of three in 0.4³ = 6% of cases.
An LLM may decide the rest (`failure_judge.judge_failure`); such results are labelled.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from workers.core.answers.equality import exact_value
from workers.core.benchmarks.base import Verifier
from workers.core.evaluation.rationality import RoleRationality
from workers.core.events import AgentFinished, AgentStarted, Event, IntermediateAnswer
from workers.core.specs import TaskSpec

Category = Literal[
    "incorrect_role_selection",
    "task_forgetting",
    "premature_termination",
    "incorrect_verification",
    "slight_deviation",
]
CLOSE = Fraction(5, 100)
ENOUGH_ROLES = 3
POWERS = tuple(Fraction(10) ** power for power in (-3, -2, -1, 1, 2, 3))


@dataclass(frozen=True, slots=True)
class FailureCategory:
    """`category` is None only with `by="unjudged"`. `reason` is one sentence for people."""

    category: Category | None
    by: Literal["rule", "judge", "unjudged"]
    reason: str


@dataclass(frozen=True, slots=True)
class Said:
    """One agent of a run, from its events."""

    agent_id: str
    role_key: str
    reads: tuple[str, ...]
    asked: str
    message: str
    answer: str | None
    refused: bool
    truncated: bool


def agents_of(events: Sequence[Event]) -> list[Said]:
    """Agents that finished, in the order of finishing."""
    started = {event.agent_id: event for event in events if isinstance(event, AgentStarted)}
    return [
        Said(
            agent_id=event.agent_id,
            role_key=start.role_key,
            reads=start.reads,
            asked="\n".join(message.get("content", "") for message in start.prompt),
            message=event.message,
            answer=event.answer,
            refused=event.refused,
            truncated=event.truncated,
        )
        for event in events
        if isinstance(event, AgentFinished) and (start := started.get(event.agent_id))
    ]


async def verdicts_of(
    events: Sequence[Event], task: TaskSpec, verifier: Verifier
) -> dict[str, bool]:
    """Each agent's answer → whether it is right. Raises VerifierError."""
    verdicts: dict[str, bool] = {}
    for said in agents_of(events):
        if said.answer is not None and said.answer not in verdicts:
            verdict = await verifier.verify(task, answer=said.answer, message=said.message)
            verdicts[said.answer] = verdict.correct
    return verdicts


def categorise(
    events: Sequence[Event],
    task: TaskSpec,
    *,
    verdicts: Mapping[str, bool],
    roles: RoleRationality | None = None,
) -> FailureCategory:
    """The category of a run with a wrong answer, by the rules alone."""
    team = agents_of(events)
    answer, speaker = final_answer(events, team)
    found = (
        _refused(team)
        or _forgotten(task, speaker)
        or _premature(answer, speaker)
        or _broken(team, answer, verdicts)
        or _deviation(answer, task.reference)
        or _unfit(roles)
    )
    if found is None:
        return FailureCategory(None, "unjudged", "No rule decides, and no judge was asked.")
    return FailureCategory(found[0], "rule", found[1])


def final_answer(events: Sequence[Event], team: Sequence[Said]) -> tuple[str | None, Said | None]:
    """The run's answer, and the agent that gave it."""
    given = [event for event in events if isinstance(event, IntermediateAnswer)]
    if not given:
        return None, None
    last = given[-1]
    return last.answer, next((s for s in team if s.agent_id == last.agent_id), None)


Found = tuple[Category, str] | None


def _refused(team: Sequence[Said]) -> Found:
    if team and all(said.refused for said in team):
        return "incorrect_role_selection", "Every agent refused the question."
    return None


def _forgotten(task: TaskSpec, speaker: Said | None) -> Found:
    if speaker is not None and speaker.asked and task.query.strip() not in speaker.asked:
        sentence = f"{speaker.agent_id}, which gave the answer, did not get the whole question."
        return "task_forgetting", sentence
    return None


def _premature(answer: str | None, speaker: Said | None) -> Found:
    if speaker is not None and speaker.truncated:
        sentence = f"{speaker.agent_id}, which gave the answer, was cut at its token limit."
        return "premature_termination", sentence
    if answer is None:
        return "premature_termination", "The run ended without an answer."
    return None


def _broken(team: Sequence[Said], answer: str | None, verdicts: Mapping[str, bool]) -> Found:
    right = {said.agent_id for said in team if said.answer and verdicts.get(said.answer)}
    for said in team:
        lost = [source for source in said.reads if source in right]
        if lost and said.agent_id not in right:
            sentence = f"{said.agent_id} read the right answer of {lost[0]} but did not keep it."
            return "incorrect_verification", sentence
    return None


def _deviation(answer: str | None, reference: str | None) -> Found:
    given, wanted = exact_value(answer or ""), exact_value(reference or "")
    if given is None or wanted is None:
        return None
    if abs(given - wanted) <= CLOSE * abs(wanted):
        return "slight_deviation", f"{answer} is close to {reference}."
    if given == -wanted:
        return "slight_deviation", f"{answer} is {reference} with the opposite sign."
    if any(given == wanted * power for power in POWERS):
        return "slight_deviation", f"{answer} differs from {reference} by a power of ten."
    return None


def _unfit(roles: RoleRationality | None) -> Found:
    if roles is None or roles.share != 0:
        return None
    judged = {match.role_key for match in roles.roles if match.matches is not None}
    if len(judged) < ENOUGH_ROLES:
        return None
    return (
        "incorrect_role_selection",
        f"None of the {len(judged)} roles fits the question's domain.",
    )
