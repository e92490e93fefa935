"""The settings of a training, and that `paper` is the paper's."""

from typing import Any

import pytest

from workers.core.methods.mashost.training.config import (
    PAPER,
    MasHostTrainingConfig,
)
from workers.core.methods.mashost.training.sweeps import CHANGES, NOT_ALONE

SILENT = {
    # How long, how much and what is kept: the job's business.
    *("steps", "queries_per_step", "checkpoint_every", "held_out", "samples_per_step"),
    # The paper names no network, and both begin with the same beliefs about edges.
    *("hidden", "layers", "edge_prior_weight"),
    # Without effect where nothing is drawn anew, and where nobody explores.
    *("count_draws", "explore_power"),
    # Without effect where there is no learned value and no adapted entropy.
    *("critic_hidden", "critic_learning_rate", "critic_updates"),
    *("trace", "value_count", "trust_reward", "centre_luck"),
    *("entropy_end", "edge_entropy_share"),
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
        MasHostTrainingConfig.model_validate(preset).model_dump() for preset in ({}, PAPER)
    )
    different = {name for name, value in studio.items() if paper[name] != value}
    alone = {next(iter(values)) for values in CHANGES.values.values() if len(values) == 1}
    assert different - alone == set(NOT_ALONE)


def test_a_row_of_changes_takes_back_what_is_the_papers() -> None:
    """Where the paper has the setting at all, and begins with no beliefs of ours."""
    paper = MasHostTrainingConfig.model_validate(PAPER).model_dump()
    changed = [values for label, values in CHANGES.values.items() if "no prior" not in label]
    for values in changed:
        assert all(paper[name] == value for name, value in values.items() if name not in SILENT)
