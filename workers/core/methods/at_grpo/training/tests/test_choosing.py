"""Which answers are learned from, in how many parts."""

import pytest

from workers.core.environments.base import Reward
from workers.core.methods.at_grpo.training.choosing import kept_groups, lessons
from workers.core.methods.at_grpo.training.config import AtGrpoTrainingConfig, GroupFilter
from workers.core.methods.at_grpo.trees import Branch, Group, advantaged
from workers.core.rollouts.base import Sample


def group(episode: int, *rewards: float, policy: str = "shared") -> Group:
    branches = tuple(
        Branch(Sample((episode,), (at,), (0.0,), 0, "stop"), "", "", Reward(), reward)
        for at, reward in enumerate(rewards)
    )
    return Group(episode, 0, 0, policy, (), branches)


def config(**changed: object) -> AtGrpoTrainingConfig:
    return AtGrpoTrainingConfig.model_validate({"rank": 0} | changed)


@pytest.mark.parametrize(
    ("by", "share", "left"),
    [
        ("none", 0.0, [0, 1, 2, 3]),
        ("mean", 0.5, [1, 3]),  # means 0.5, 5, 1, 3
        ("deviation", 0.25, [0, 1, 3]),  # in parts of the range, the one of equal rewards has least
        ("mean", 0.2, [0, 1, 2, 3]),  # a fifth of four is none
    ],
)
def test_groups_are_left_out_by_their_mean_or_deviation(
    by: GroupFilter, share: float, left: list[int]
) -> None:
    groups = [group(0, 0, 1), group(1, 0, 10), group(2, 1, 1), group(3, 2, 4)]
    chosen = kept_groups(groups, by, share)
    assert [each.episode for each in chosen] == left


@pytest.mark.parametrize(
    ("updates", "sizes"), [(1, [20]), (2, [12, 8]), (4, [8, 8, 4]), (9, [4] * 5)]
)
def test_a_group_is_learned_from_in_one_part(updates: int, sizes: list[int]) -> None:
    groups = advantaged([group(at, 0, 1, 2, 3) for at in range(5)], "both")
    parts = lessons(groups, "shared", config(updates=updates), seed=1)
    assert [len(part) for part in parts] == sizes
    prompts = [{each.sample.prompt for each in part} for part in parts]
    assert sum(map(len, prompts)) == len(set().union(*prompts)) == 5
    assert parts != lessons(groups, "shared", config(updates=updates), seed=2)


def test_what_teaches_nothing_is_left_out() -> None:
    groups = advantaged([group(0, 1, 1), group(1, 0, 1), group(2, 0, 1, policy="other")], "both")
    (part,) = lessons(groups, "shared", config(updates=4), seed=0)
    assert {each.sample.prompt for each in part} == {(1,)}
    assert [each.advantage for each in part] == pytest.approx([-1, 1], abs=1e-5)
    assert lessons(groups[:1], "shared", config(), seed=0) == []
    assert lessons(groups[:1], "shared", config(kl=0.1), seed=0) == []
