"""The settings of a training: which fit together, and those that presets and sweeps have."""

from typing import Any

import pytest
from pydantic import ValidationError

from workers.core.methods.at_grpo.config import AtGrpoConfig
from workers.core.methods.at_grpo.training.config import PRESETS, SWEEPS, AtGrpoTrainingConfig


def test_presets_and_sweeps_are_settings_that_fit_together() -> None:
    for preset in PRESETS.values():
        AtGrpoTrainingConfig.model_validate(preset)
    for name, sweep in SWEEPS.items():
        configs = [
            AtGrpoTrainingConfig.model_validate(PRESETS[sweep.preset] | dict(value))
            for value in sweep.values.values()
        ]
        assert len({config.model_dump_json() for config in configs}) == len(configs), name


def test_what_a_sweep_begins_with_or_replays_is_one_of_its_own_earlier_trainings() -> None:
    for sweep in SWEEPS.values():
        labels = list(sweep.values)
        for label, beginning in sweep.begins.items():
            earlier = labels[: labels.index(label)]
            assert {beginning.start_from, *beginning.settings.values()} <= set(earlier)
            config = PRESETS[sweep.preset] | dict(sweep.values[label])
            AtGrpoTrainingConfig.model_validate(config | dict.fromkeys(beginning.settings, "named"))
        for replayed in sweep.replayed.values():
            assert replayed.label in labels
            AtGrpoConfig.model_validate(replayed.options)


def test_adapters_on_random_weights_are_refused() -> None:
    for level in ("shared", "adapters"):
        with pytest.raises(ValidationError, match="Set rank to 0"):
            AtGrpoTrainingConfig.model_validate(PRESETS["studio"] | {"level": level, "rank": 16})
    whole = AtGrpoTrainingConfig.model_validate(PRESETS["studio"] | {"level": "models", "rank": 16})
    assert whole.level == "models"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"branches": 1}, "Set branches to 2 or more"),
        ({"filter_groups": "mean"}, "a filter_share of 0 leaves out no group"),
        ({"filter_share": 0.5}, "filter_groups is “none”"),
    ],
)
def test_settings_that_would_do_nothing_are_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        AtGrpoTrainingConfig.model_validate(PRESETS["studio"] | changes)


def test_muon_is_refused_for_adapters() -> None:
    adapters = {"model": "any", "rank": 16}
    with pytest.raises(ValidationError, match="muon is for all weights"):
        AtGrpoTrainingConfig.model_validate(adapters | {"optimiser": "muon"})
    AtGrpoTrainingConfig.model_validate(adapters | {"optimiser": "muon", "rank": 0})
