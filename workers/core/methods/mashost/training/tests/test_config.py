"""The settings of a training, and that `paper` is the paper's."""

from typing import Any

import pytest

from workers.core.methods.mashost.training.config import PAPER, STUDIO, MasHostTrainingConfig
from workers.core.methods.mashost.training.sweeps import CHANGES, NOT_ALONE

SILENT = {
    # How long, how much and what is kept: the job's business.
    *("steps", "queries_per_step", "checkpoint_every", "held_out", "samples_per_step"),
    # The paper names no network.
    *("hidden", "layers"),
    # Without effect where nothing is drawn anew.
    "count_draws",
    # Without effect where there is no learned value and no adapted entropy.
    *("critic_hidden", "critic_learning_rate", "critic_updates"),
    *("trace", "trust_reward", "centre_luck", "entropy_end", "edge_entropy_share"),
}


def test_no_setting_of_ours_leaks_into_the_papers() -> None:
    assert set(MasHostTrainingConfig.model_fields) - set(PAPER) == SILENT


@pytest.mark.parametrize(
    "wrong",
    [
        {"baseline": "value", "group_term": False},
        {"baseline": "value", "normalise": "group"},
        {"baseline": "group", "group_term": False, "action_term": False},
    ],
)
def test_a_setting_that_would_change_nothing_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"baseline|reward"):
        MasHostTrainingConfig.model_validate(wrong)


def test_every_setting_of_studio_is_taken_back_alone_or_said_why_not() -> None:
    studio, paper = (
        MasHostTrainingConfig.model_validate(preset).model_dump() for preset in (STUDIO, PAPER)
    )
    different = {name for name, value in studio.items() if paper[name] != value}
    changed = {name for values in CHANGES.values.values() for name in values}
    assert different - changed == set(NOT_ALONE)
