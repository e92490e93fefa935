"""Where ours differs from the paper or its code, or they are silent. Numbers are those of the
package's docstring.

1, and a group of one (2), are in test_trees.py; what teaches nothing (2), and the filters (7), in
training/tests/test_choosing.py; supervised steps (4) in training/tests/test_loop.py; rewards (8)
beside each environment; agents that act at once (9) in test_playing.py; the scale of advantages
(12) in test_trees.py.
"""

import re
from dataclasses import fields, replace
from pathlib import Path

import pytest

from workers.core.events import TrainingMetric
from workers.core.methods.at_grpo.tests.test_trees import TestGroupings as Groupings
from workers.core.methods.at_grpo.training.config import PAPER, PRESETS, AtGrpoTrainingConfig
from workers.core.methods.at_grpo.training.tests.small import of, trained, training
from workers.core.methods.at_grpo.trees import Grouping, advantaged
from workers.core.rollouts.base import Sampling

PUBLISHED = {"steps": 200, "max_tokens": 2_048, "learning_rate": 1e-6, "episodes_per_step": 32}
PAPERS = {"branches": 4, "turns": 4, "alpha": 1}


@pytest.mark.parametrize("preset", PRESETS)
def test_what_is_sampled_is_the_policy(preset: str) -> None:
    """3: no setting of a training changes the temperature, and nothing can cut an answer's
    distribution off."""
    config = AtGrpoTrainingConfig.model_validate(PRESETS[preset])
    assert config.tree_options().temperature == 1
    assert not {"temperature", "top_p", "top_k"} & set(AtGrpoTrainingConfig.model_fields)
    assert {each.name for each in fields(Sampling)} == {"max_tokens", "seed", "temperature"}


@pytest.mark.usefixtures("nano")
async def test_the_kl_divergence_is_measured_from_the_end_of_the_cold_start(tmp_path: Path) -> None:
    """5: it is 0 in the first sampled step, though supervised steps moved the policy far."""
    config = {"steps": 2, "kl": 0.1, "held_out": 0}
    steps = of(await trained(training(tmp_path, config=config)), TrainingMetric)
    assert [abs(step.values["kl_shared"]) < 1e-6 for step in steps[3:]] == [True, False]


@pytest.mark.parametrize(("name", "value"), [*PUBLISHED.items(), *PAPERS.items()])
def test_the_preset_paper_has_the_numbers_that_descriptions_name(name: str, value: float) -> None:
    """6."""
    described = AtGrpoTrainingConfig.model_fields[name].description or ""
    source = "published" if name in PUBLISHED else "the paper"
    told = re.search(rf"{source}[^:]*: ([\d,]+(?:e-\d)?)", described)
    assert told
    assert float(told[1].replace(",", "")) == value
    assert getattr(AtGrpoTrainingConfig.model_validate(PAPER), name) == value


@pytest.mark.parametrize("grouping", ["both", "agent", "turn", "none"])
def test_no_answer_is_compared_with_one_of_another_episode(grouping: Grouping) -> None:
    """7: an episode in which all answers earn far more changes no advantage."""
    alone = Groupings.groups()
    richer = [
        replace(
            group,
            episode=1,
            branches=tuple(replace(each, mixed=each.mixed + 1_000) for each in group.branches),
        )
        for group in alone
    ]
    together = advantaged([*alone, *richer], grouping)
    told = [[branch.advantage for branch in group.branches] for group in together]
    expected = [
        [branch.advantage for branch in group.branches] for group in advantaged(alone, grouping)
    ]
    assert told[: len(alone)] == expected
    assert told[len(alone) :] == [pytest.approx(each) for each in expected]


@pytest.mark.parametrize("preset", PRESETS)
def test_agents_speak_one_after_the_other(preset: str) -> None:
    """9."""
    assert AtGrpoTrainingConfig.model_validate(PRESETS[preset]).order == "sequential"
