"""Credit for who designs a team and for who plays in it (MetaAgent-X, arXiv 2605.14212, §3.2).

Legend: N designs of one question, M executions of each, R_ij the reward of execution j of design i,
c_ij its executor trajectories, which are its agents' calls. A design that can't be executed has no
executions: an empty row.
"""

from collections.abc import Sequence

from workers.core.rl.groups import mean_or_zero, relative

Matrix = Sequence[Sequence[float]]
"""N rows of at most M rewards."""


def designer_rewards(rewards: Matrix) -> list[float]:
    """r_i = mean_j R_ij: (N, M) → (N,). 0 for a design without executions."""
    return [mean_or_zero(row) for row in rewards]


def designer_advantages(rewards: Matrix) -> list[float]:
    """Relative to all N designs of the question: (N, M) → (N,)."""
    return relative(designer_rewards(rewards))


def executor_advantages(rewards: Matrix, calls: Sequence[Sequence[int]]) -> list[list[float]]:
    """That of each trajectory of execution (i, j), relative to all executor trajectories of the
    question, of the same and of other designs: (N, M) × 2 → (N, M).

    A trajectory's reward is R_ij, so an execution counts once for each of its calls. `calls` is 0
    where the executor gets nothing, and the advantage there is 0.
    """
    flat = [reward for row in rewards for reward in row]
    counts = [count for row in calls for count in row]
    told = iter(relative(flat, counts))
    return [[next(told) for _ in row] for row in rewards]
