"""Which role learns when."""

from typing import Any

import pytest

from workers.core.methods.metaagent_x.training.config import MetaAgentXTrainingConfig
from workers.core.methods.metaagent_x.training.schedule import active, shares, stage


def config(**settings: Any) -> MetaAgentXTrainingConfig:
    return MetaAgentXTrainingConfig(**({"stage_steps": 2} | settings))


def test_the_roles_take_turns_and_the_executor_is_first() -> None:
    learns = [active(step, config()) for step in range(1, 8)]
    assert [role for (role,) in learns] == [
        *("executor", "executor", "designer", "designer", "executor", "executor", "designer"),
    ]
    assert active(1, config(first="designer")) == ("designer",)


def test_hard_the_other_role_teaches_nothing_and_with_rates_a_little() -> None:
    assert shares(1, config()) == {"executor": 1.0}
    rates = {"freeze": "rates", "inactive_rate": 0.01}
    assert shares(1, config(**rates)) == {"executor": 1.0, "designer": 0.01}
    assert shares(3, config(**rates)) == {"designer": 1.0, "executor": 0.01}
    assert shares(1, config(**rates, schedule="executor")) == {"executor": 1.0}
    assert shares(1, config(freeze="rates", inactive_rate=0.0)) == {"executor": 1.0}


@pytest.mark.parametrize(
    ("schedule", "numbers"),
    [("stagewise", [1, 1, 0]), ("joint", [2, 2, 2]), ("designer", [0] * 3), ("executor", [1] * 3)],
)
def test_stages_as_numbers(schedule: str, numbers: list[int]) -> None:
    assert [stage(step, config(schedule=schedule)) for step in (1, 2, 3)] == numbers
