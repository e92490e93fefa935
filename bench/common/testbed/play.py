"""Plays one agent of the testbed on a query and the messages it reads: rules 1 to 6.

Whether an agent answers, refuses or plans depends on roles alone; only whether it is right depends
on luck. So one call plays the same agent on many queries of a domain at once.

Legend: Q queries of one domain, K roles.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.common.testbed.world import (
    CHATTER_FACTOR,
    CONTRARIAN_ALONE,
    CONTRARIAN_REPAIRS,
    CONTRARIAN_SPOILS,
    DOMAINS,
    GENERALIST_RIGHT,
    READ_SHARE,
    REFUSAL_TOKENS,
    TestbedRole,
)

DRAWS = 2
"""Luck numbers per query and role. The second is for judging answers that are all wrong."""

JUDGES = frozenset({"verifier", "contrarian"})
"""Only for these roles does it matter whether an answer that they read is right."""

Luck = NDArray[np.float64]
"""(Q, K, DRAWS), uniform in [0, 1). It is fixed, so the same agent always does the same."""


@dataclass(frozen=True, slots=True)
class Played:
    """One agent's result. `right` (Q,) is None if it gives no answer. `tokens` is what it cost."""

    role: int
    refused: bool
    right: NDArray[np.bool_] | None
    tokens: float


def play(
    index: int, roles: Sequence[TestbedRole], domain: int, luck: Luck, inputs: Sequence[Played]
) -> Played:
    """Play the agent of role `index` that reads `inputs`, except those that refused."""
    role = roles[index]
    reads = [played for played in inputs if not played.refused]
    reading = READ_SHARE * sum(played.tokens for played in reads)
    answers = [played.right for played in reads if played.right is not None]
    outside = role.domain not in (-1, domain)
    if outside or (role.kind == "verifier" and not answers):
        return Played(index, True, None, REFUSAL_TOKENS + reading)
    kinds = {(roles[played.role].kind, roles[played.role].domain) for played in reads}
    chances = _chances(role, domain, len(answers), has_plan=("planner", domain) in kinds)
    if chances is None:
        return Played(index, False, None, role.tokens + reading)
    if ("chatterbox", -1) in kinds:
        chances = (CHATTER_FACTOR * chances[0], CHATTER_FACTOR * chances[1])
    right = luck[:, index, 0] < chances[0]
    if answers and role.kind in JUDGES:
        repaired = luck[:, index, 1] < chances[1]
        right = np.where(np.any(answers, axis=0), right, repaired)
    return Played(index, False, right, role.tokens + reading)


def _chances(
    role: TestbedRole, domain: int, answers: int, *, has_plan: bool
) -> tuple[float, float] | None:
    """Probability of being right and, for a role that judges answers, the one if all of them are
    wrong. None for a role that gives no answer."""
    world = DOMAINS[domain]
    if role.kind == "solver":
        skill = world.skills[role.solver]
        chance = skill.planned if has_plan else skill.alone
        return chance, chance
    if role.kind == "verifier":
        return (world.keeps if answers <= 2 else world.confused), world.repairs
    if role.kind == "generalist":
        return GENERALIST_RIGHT, GENERALIST_RIGHT
    if role.kind == "contrarian":
        return (1 - CONTRARIAN_SPOILS if answers else CONTRARIAN_ALONE), CONTRARIAN_REPAIRS
    return None
