"""What a step was like, as numbers."""

import pytest

from workers.core.environments.base import Reward
from workers.core.methods.at_grpo.training.metric_names import METRICS
from workers.core.methods.at_grpo.training.metrics import sampled
from workers.core.methods.at_grpo.trees import Branch, Episode, Group, Grown
from workers.core.rollouts.base import Finish, Ids, Sample
from workers.core.specs import TaskSpec


@pytest.mark.parametrize(
    ("tokens", "share"),
    [
        ((1, 2, 3, 4, 5, 6), 0.0),
        ((1, 2), 0.0),
        ((9,) * 13, 0.9),  # ten runs of four, of which one is new
        ((1, 2, 3, 4, 1, 2, 3, 4), 0.2),  # of five runs the last is the first again
    ],
)
def test_a_curve_tells_how_much_an_answer_repeats_itself(tokens: Ids, share: float) -> None:
    branch = Branch(Sample((1,), tokens, (0.0,) * len(tokens), 0, "stop"), "", "", Reward(), 0.0)
    episode = Episode(TaskSpec(query="?"), None, 1, "turns", False)
    told = sampled(Grown([Group(0, 0, 0, "shared", (), (branch,))], [episode]), ("proposer",))
    assert told["repeated_proposer"] == pytest.approx(share)
    assert "repeated_proposer" in {metric.name for metric in METRICS}


def test_agents_have_curves_of_each_turn() -> None:
    def branch(
        *logprobs: float, advantage: float = 0.0, cut: bool = False, solves: bool = False
    ) -> Branch:
        finish: Finish = "length" if cut else "stop"
        sample = Sample((1,), (5,) * len(logprobs), logprobs, 0, finish)
        parts = Reward({"tests": 1.0} if solves else {}, {"build": 0.1} if logprobs[1:] else {})
        return Branch(sample, "", "", parts, advantage, advantage, solves=solves)

    def group(agent: int, turn: int, *branches: Branch) -> Group:
        return Group(0, agent, turn, "shared", (), branches)

    grown = Grown(
        [
            group(0, 0, branch(-1.0, -2.0, advantage=1.0), branch(-3.0, advantage=-1.0)),
            group(0, 0, branch(-6.0, cut=True)),
            group(1, 0, branch(-0.5, cut=True), branch(-0.5)),
            group(0, 1, branch(0.0, cut=True), branch(-1.0, cut=True, solves=True)),
        ],
        [Episode(TaskSpec(query="?"), None, 2, "turns", False)],
    )
    told = sampled(grown, ("coder", "tester"))
    of_turns = {name: value for name, value in told.items() if "_turn_" in name}
    assert of_turns == pytest.approx(
        {
            **{"reward_coder_turn_1": 0, "reward_coder_turn_2": 0, "reward_tester_turn_1": 0},
            **{"entropy_coder_turn_1": 3, "entropy_coder_turn_2": 0.5},
            **{"entropy_tester_turn_1": 0.5},
            **{"flat_coder_turn_1": 0.5, "flat_coder_turn_2": 1, "flat_tester_turn_1": 1},
            **{"cut_coder_turn_1": 1 / 3, "cut_coder_turn_2": 1, "cut_tester_turn_1": 0.5},
            **{"solved_coder_turn_1": 0, "solved_coder_turn_2": 0.5, "solved_tester_turn_1": 0},
            **{"part_build_coder_turn_1": 0.1 / 3, "part_tests_coder_turn_1": 0},
            **{"part_build_coder_turn_2": 0, "part_tests_coder_turn_2": 0.5},
        }
    )
    assert of_turns.keys() <= {metric.name for metric in METRICS}
