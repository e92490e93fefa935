"""Tree sampling on a game of letters, with an engine whose answers are written down.

The three faults of the published code stand here by name: a later agent that misses what the
earlier did in the same turn, a second agent whose group has equal rewards, and the raw reward as
advantage in a group of one.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from workers.core.benchmarks.games.episodes import GAMES, task_of
from workers.core.environments.base import Reward
from workers.core.environments.games import PlanPathTeam
from workers.core.errors import MethodError
from workers.core.methods.at_grpo.trees import (
    Branch,
    Group,
    Grown,
    Scale,
    TreeOptions,
    Trees,
    advantaged,
)
from workers.core.rollouts.base import (
    Ids,
    LossOptions,
    Messages,
    PolicyEngine,
    Sample,
    Sampling,
    Told,
    Weighted,
)
from workers.core.specs import TaskSpec

MAZE = "S.#\n.#.\n..G"
BOARD = "aaSab.ac#ba.bb#bc.ca.cb.ccG"
OPTIONS = TreeOptions(
    branches=3, turns=2, alpha=1.0, order="sequential", grouping="both", max_tokens=8
)


class Written(PolicyEngine):
    """Says what is written down for the observation; ids are the characters'."""

    def __init__(self, says: Callable[[str, int], str]) -> None:
        self._says = says
        self.asked: list[str] = []

    @property
    def policies(self) -> tuple[str, ...]:
        return ("tool", "plan")

    @property
    def seconds_publishing(self) -> float:
        return 0.0

    def close(self) -> None:
        raise NotImplementedError

    def prompt(self, policy: str, messages: Messages) -> Ids:
        return tuple(map(ord, messages[-1]["content"]))

    def answer(self, policy: str, text: str) -> Ids:
        raise NotImplementedError

    def text(self, policy: str, tokens: Ids) -> str:
        return "".join(map(chr, tokens))

    def sample(
        self, policy: str, prompts: Sequence[Ids], n: int, sampling: Sampling
    ) -> list[list[Sample]]:
        self.asked += [self.text(policy, prompt) for prompt in prompts]
        return [[self._answer(policy, prompt, at) for at in range(n)] for prompt in prompts]

    def _answer(self, policy: str, prompt: Ids, at: int) -> Sample:
        tokens = tuple(map(ord, self._says(self.text(policy, prompt), at)))
        return Sample(prompt, tokens, (0.0,) * len(tokens), 0, "stop")

    def logprobs(self, policy: str, samples: Sequence[Sample]) -> list[tuple[float, ...]]:
        raise NotImplementedError

    def start_logprobs(self, policy: str, samples: Sequence[Sample]) -> list[tuple[float, ...]]:
        raise NotImplementedError

    def forward_backward(
        self, policy: str, batch: Sequence[Weighted], options: LossOptions
    ) -> Told:
        raise NotImplementedError

    def optim_step(self, policy: str, learning_rate: float) -> float:
        raise NotImplementedError

    def anchor(self, policy: str) -> None:
        raise NotImplementedError

    def publish(self, policy: str) -> int:
        raise NotImplementedError

    def tensors(self, policy: str) -> dict[str, Any]:
        raise NotImplementedError

    def save(self, folder: Path) -> None:
        raise NotImplementedError

    def load(self, folder: Path) -> None:
        raise NotImplementedError


def task(board: str = MAZE) -> TaskSpec:
    return task_of(GAMES["plan_path"], board)


def trees(engine: PolicyEngine, **changes: Any) -> Trees:
    environment = PlanPathTeam(proposes="answer", wording="letters")
    return Trees(engine, environment, ("tool", "plan"), replace(OPTIONS, **changes))


async def grown(says: Callable[[str, int], str], **changes: Any) -> tuple[Grown, Written]:
    engine = Written(says)
    return await trees(engine, **changes).grown([task()], seed=0), engine


def taken(group: Group) -> str:
    (one,) = [branch for branch in group.branches if branch.taken]
    return one.message


async def test_the_best_branch_is_played_and_the_next_agent_sees_it() -> None:
    def says(seen: str, at: int) -> str:
        return ("U", "D", "DD")[at] if seen.startswith("A") else ("R", "DDR", "DDRR")[at]

    found, engine = await grown(says)
    first, second = found.groups
    assert (taken(first), taken(second)) == ("DD", "DDRR")
    assert engine.asked == [f"A{BOARD}||", f"B{BOARD}||baca|"], "fault 1"
    assert [branch.solves for branch in first.branches] == [False] * 3, "it moves nothing"
    assert [branch.solves for branch in second.branches] == [False, False, True]
    (episode,) = found.episodes
    assert episode.is_solved
    assert episode.turns == 1


async def test_the_second_agents_rewards_differ() -> None:
    """Its branches are its own answers to one observation, not copies of the first agent's."""
    found, _ = await grown(lambda seen, at: ("U", "D", "DD")[at])
    second = found.groups[1]
    assert len({branch.mixed for branch in second.branches}) == 3, "fault 2"
    assert len({branch.sample.prompt for branch in second.branches}) == 1
    assert sum(branch.advantage for branch in second.branches) == pytest.approx(0)
    best = max(second.branches, key=lambda branch: branch.advantage)
    assert best.taken


async def test_a_group_of_one_teaches_nothing() -> None:
    found, _ = await grown(lambda seen, at: "DD", branches=1)
    assert all(
        branch.advantage == 0 and branch.mixed != 0
        for group in found.groups
        for branch in group.branches
    ), "fault 3"


async def test_agents_that_act_at_once_do_not_see_each_other() -> None:
    _, engine = await grown(lambda seen, at: "D", order="parallel")
    assert engine.asked[:2] == [f"A{BOARD}||", f"B{BOARD}|||"]
    moved = BOARD.replace("aaS", "aa.").replace("ba.", "baS")
    assert engine.asked[2:] == [f"A{moved}||", f"B{moved}|||"], "the board has moved since"


async def test_all_agents_samples_arrive() -> None:
    found, _ = await grown(lambda seen, at: "D")
    counted = Counter((group.agent, group.turn) for group in found.groups for _ in group.branches)
    assert counted == {(agent, turn): 3 for agent in (0, 1) for turn in (0, 1)}


async def test_all_branches_of_a_turn_act_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    """They may run programs."""
    act, under_way = PlanPathTeam.act, [0]

    async def slow(self: PlanPathTeam, *given: Any) -> Any:
        under_way.append(under_way[-1] + 1)
        await asyncio.sleep(0)
        under_way.append(under_way[-1] - 1)
        return await act(self, *given)

    monkeypatch.setattr(PlanPathTeam, "act", slow)
    await trees(Written(lambda seen, at: "D")).grown([task(), task()], seed=0)
    assert max(under_way) == 6


async def test_episodes_end_on_their_own() -> None:
    tasks = [task(), task("SG")]
    engine = Written(lambda seen, at: "R" if "aaSabG" in seen else "D")
    found = await trees(engine).grown(tasks, seed=0)
    assert [episode.ended for episode in found.episodes] == ["turns", "solved"]
    assert [episode.turns for episode in found.episodes] == [2, 1]
    assert Counter(group.episode for group in found.groups) == {0: 4, 1: 2}


async def test_alpha_weighs_the_teams_reward() -> None:
    def says(seen: str, at: int) -> str:
        return ("DDRR", "DDR", "D")[at]

    found, _ = await grown(says, alpha=0)
    without = found.groups[0].branches[0]
    assert without.reward.team == {"goal": 1.0, "shortest": 0.5}
    assert without.mixed == pytest.approx(sum(without.reward.local.values()))
    found, _ = await grown(says, alpha=2)
    assert found.groups[0].branches[0].mixed == pytest.approx(without.mixed + 3)


def branch(reward: float) -> Branch:
    sample = Sample((1,), (2,), (0.0,), 0, "stop")
    return Branch(sample, "", "", Reward(local={"x": reward}), reward)


async def test_an_environment_that_fails_is_named_with_its_task(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(*_: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(PlanPathTeam, "play", fails)
    with pytest.raises(MethodError, match=r"\(ZeroDivisionError\).*Proposer in turn 1") as raised:
        await grown(lambda seen, at: "DD")
    assert raised.value.code == "environment_failed"
    assert task().query[:30] in raised.value.message


class TestGroupings:
    @staticmethod
    def groups() -> list[Group]:
        """One episode: agent 0 earns 0 and 1 in turn 0, 2 and 3 in turn 1; agent 1 ten more."""
        return [
            Group(
                *(0, agent, turn, "p"),
                branches=tuple(branch(10 * agent + 2 * turn + at) for at in (0, 1)),
            )
            for turn in (0, 1)
            for agent in (0, 1)
        ]

    def advantages(self, grouping: Any) -> list[list[float]]:
        return [
            [round(branch.advantage, 3) for branch in group.branches]
            for group in advantaged(self.groups(), grouping)
        ]

    def test_by_agent_and_turn(self) -> None:
        assert self.advantages("both") == [[-1, 1]] * 4

    def test_by_agent(self) -> None:
        low, high = [-1.342, -0.447], [0.447, 1.342]
        assert self.advantages("agent") == [low, low, high, high]

    def test_by_turn(self) -> None:
        low, high = [-1.095, -0.896], [0.896, 1.095]
        assert self.advantages("turn") == [low, high, low, high]

    def test_by_neither(self) -> None:
        assert self.advantages("none") == [
            [-1.269, -1.073],
            [0.683, 0.878],
            [-0.878, -0.683],
            [1.073, 1.269],
        ]

    def test_scaled_by_the_step_a_small_difference_counts_for_little(self) -> None:
        """Eight answers each: one in four solves; all fail, and two are a move shorter."""
        solved = Group(0, 0, 0, "p", branches=tuple(branch(r) for r in [10, 10, *[0] * 6]))
        failed = Group(1, 0, 0, "p", branches=tuple(branch(r) for r in [-0.01] * 2 + [-0.02] * 6))
        equal = Group(2, 0, 0, "p", branches=(branch(1),) * 8)
        groups = [solved, failed, equal]

        def largest(scale: Scale) -> list[float]:
            told = advantaged(groups, "both", scale)
            return [round(group.branches[0].advantage, 3) for group in told]

        assert largest("group") == [1.732, 1.732, 0]
        assert largest("step") == [2.449, 0.002, 0]
        told = [
            each.advantage
            for group in advantaged(groups, "both", "step")
            for each in group.branches
        ]
        assert sum(each**2 for each in told) == pytest.approx(16, abs=1e-4)

    def test_equal_rewards_teach_nothing(self) -> None:
        (group, *_) = self.groups()
        same = replace(group, branches=(group.branches[0],) * 5)
        for scale in get_args(Scale):
            (told,) = advantaged([same], "both", scale)
            assert [branch.advantage for branch in told.branches] == [0] * 5


async def test_answers_to_another_prompt_are_no_group() -> None:
    class Mixed(Written):
        def _answer(self, policy: str, prompt: Ids, at: int) -> Sample:
            answer = super()._answer(policy, prompt, at)
            return replace(answer, prompt=(*prompt, 1)) if at == 1 else answer

    with pytest.raises(MethodError, match="to another prompt") as raised:
        await trees(Mixed(lambda seen, at: "D")).grown([task()], seed=0)
    assert raised.value.code == "other_prompt"
