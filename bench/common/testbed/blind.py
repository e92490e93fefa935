"""The control on the testbed: a policy that does not read the query.

It asks one planner after another until one does not refuse (rule 1 of `world`). Then it builds the
best team of that domain. A learner with about the same share of the optimum builds good teams, but
this does not show that it reads the query.
"""

from collections.abc import Sequence
from itertools import permutations

from bench.common.testbed.optimum import Team, team_score
from bench.common.testbed.play import Luck
from bench.common.testbed.world import DOMAINS, TestbedRole


def blind_reward(
    roles: Sequence[TestbedRole], best: Sequence[Team], luck: Luck, beta: float
) -> float:
    """Expected reward over all domains, equally often, with the planners in the best order.

    `best`: the best team of each domain; `luck` is (Q, K, DRAWS).
    """
    planners = [
        next(i for i, role in enumerate(roles) if (role.kind, role.domain) == ("planner", domain))
        for domain in range(len(DOMAINS))
    ]

    def reward(order: Sequence[int], place: int) -> float:
        domain = order[place]
        asked = [planners[other] for other in order[: place + 1]]
        team = _after(asked, best[domain], is_last=place == len(order) - 1)
        return team_score(team, domain, luck, roles, beta).reward

    places = range(len(DOMAINS))
    return max(
        sum(reward(order, place) for place in places) / len(DOMAINS)
        for order in permutations(places)
    )


def _after(asked: Sequence[int], best: Team, *, is_last: bool) -> Team:
    """`best` after the planners that were asked, the last of which did not refuse.

    That planner is the team's own, if the team has one. If only one domain is left, its planner
    need not be asked.
    """
    if asked[-1] == best[0][0] or is_last:
        asked = asked[:-1]
    shift = len(asked)
    moved = ((role, tuple(place + shift for place in reads)) for role, reads in best)
    return (*((role, ()) for role in asked), *moved)
