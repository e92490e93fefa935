"""The settings of a training: presets, and what does not fit together."""

from typing import Any

import pytest
from pydantic import ValidationError

from workers.core.methods.metaagent_x.config import MetaAgentXConfig
from workers.core.methods.metaagent_x.training.config import (
    GROUPS,
    PRESETS,
    SWEEPS,
    MetaAgentXTrainingConfig,
)


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_can_be_used(preset: str) -> None:
    MetaAgentXTrainingConfig(**PRESETS[preset])


def test_variations_can_be_used_and_differ() -> None:
    for sweep in SWEEPS.values():
        made = [
            MetaAgentXTrainingConfig(**(PRESETS[sweep.preset] | dict(values)))
            for values in sweep.values.values()
        ]
        assert len(set(map(repr, made))) == len(made)


def test_the_sweep_of_rollouts_has_as_many_executions_in_each_arm() -> None:
    arms = [
        MetaAgentXTrainingConfig(**(PRESETS["studio"] | dict(values)))
        for values in SWEEPS["rollouts"].values.values()
    ]
    assert {each.designs * each.executions for each in arms} == {16}


def test_the_papers_settings() -> None:
    paper = MetaAgentXTrainingConfig(**PRESETS["paper"])
    assert (paper.schedule, paper.first, paper.freeze) == ("stagewise", "executor", "hard")
    assert (paper.delivery, paper.format, paper.call_cost) == (0.4, 0.4, 0)
    assert (paper.level, paper.learning_rate, paper.final_rate) == ("shared", 5e-6, 1)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"level": "adapters", "rank": 0}, "rank of at least 1"),
        ({"optimiser": "muon"}, "muon is for all weights"),
        ({"model": "nano", "rank": 0}, "can't write a script"),
        ({"engine": "vllm", "rank": 5}, "adapters alone"),
        ({"engine": "vllm", "level": "models"}, "adapters alone"),
        ({"tools": "program, calculator"}, "no tool “calculator”"),
        ({"steps": 0}, "at least 1"),
    ],
)
def test_what_does_not_fit_together_is_told(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        MetaAgentXTrainingConfig(**changes)


def test_runs_get_what_the_training_had() -> None:
    config = MetaAgentXTrainingConfig(tools="", max_calls=9)
    assert config.run_config() == MetaAgentXConfig(tools="", max_calls=9)


def test_only_a_cold_start_reads_runs() -> None:
    assert not MetaAgentXTrainingConfig().reads_runs()
    assert MetaAgentXTrainingConfig(cold_steps=1).reads_runs()


def test_groups_of_settings_begin_with_settings() -> None:
    fields = list(MetaAgentXTrainingConfig.model_fields)
    assert [name for name in fields if name in GROUPS] == list(GROUPS)
    assert fields[0] in GROUPS
