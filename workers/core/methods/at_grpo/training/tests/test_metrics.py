"""What a step was like, as numbers."""

import pytest

from workers.core.environments.base import Reward
from workers.core.methods.at_grpo.training.metric_names import METRICS
from workers.core.methods.at_grpo.training.metrics import sampled
from workers.core.methods.at_grpo.trees import Branch, Episode, Group, Grown
from workers.core.rollouts.base import Ids, Sample
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
