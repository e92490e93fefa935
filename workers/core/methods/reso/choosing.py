"""The fine search: chooses which of several agents' answers to a subtask counts (ReSo, §3.3).

In training the reward model decides. In testing there is none: answers within a tolerance count as
the same, and the answer of most agents counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from workers.core.answers.commitment import final_quantity
from workers.core.answers.equality import same_answer
from workers.core.mas.outcome import AgentOutcome
from workers.core.methods.reso.rewards import TOLERANCE, Reward


@dataclass(frozen=True, slots=True)
class Group:
    """The places of candidates with the same answer, best-ranked first."""

    places: tuple[int, ...]
    answer: str


def best_rewarded(rewards: Sequence[Reward]) -> int | None:
    """The place of the candidate with the highest reward; of equals the better-ranked one. None if
    none could be judged: chance must not decide who is best."""
    judged = [
        (reward.value, -place) for place, reward in enumerate(rewards) if reward.value is not None
    ]
    return -max(judged)[1] if judged else None


def groups_of(outcomes: Sequence[AgentOutcome], *, tolerance: float = TOLERANCE) -> list[Group]:
    """The candidates with an answer, grouped by answer: the largest group first, of equals the
    better-ranked.

    `outcomes` are sorted best-ranked first. A number joins the first group whose best-ranked number
    is within `tolerance` of it, relative to the larger of both. So no group drifts from member to
    member. Other answers are the same if a vote counts them together.
    """
    found: list[tuple[Fraction | str, str, list[int]]] = []
    for place, outcome in enumerate(outcomes):
        if not outcome.usable or outcome.answer is None:
            continue
        meant = _meaning(outcome.answer)
        for known, _, places in found:
            if _is_one(known, meant, tolerance):
                places.append(place)
                break
        else:
            found.append((meant, outcome.answer, [place]))
    groups = [Group(tuple(places), answer) for _, answer, places in found]
    return sorted(groups, key=lambda group: (-len(group.places), group.places[0]))


def _meaning(answer: str) -> Fraction | str:
    given = final_quantity(answer)
    if given is None:
        return answer
    return given.value / 100 if given.percent else given.value


def _is_one(known: Fraction | str, meant: Fraction | str, tolerance: float) -> bool:
    if isinstance(known, str) or isinstance(meant, str):
        return isinstance(known, str) and isinstance(meant, str) and same_answer(known, meant)
    return abs(known - meant) <= Fraction(tolerance) * max(abs(known), abs(meant))
