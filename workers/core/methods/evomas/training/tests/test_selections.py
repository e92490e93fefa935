"""How likely each role was, at the first, the middle and the last stages of a step's tasks."""

from workers.core.events import LayerSampled, RoleProbability, Selection
from workers.core.methods.evomas.tests.support import TASK
from workers.core.methods.evomas.training.metrics import step_selections
from workers.core.methods.evomas.training.rollouts import Rollout


def layer(stage: int, number: int, **chances: float) -> LayerSampled:
    candidates = tuple(
        RoleProbability(role=role, name=role, probability=chance)
        for role, chance in chances.items()
    )
    return LayerSampled(
        stage=stage,
        layer=number,
        candidates=candidates,
        log_probability=-1,
        mass=0.5,
        greedy=False,
    )


def test_means_by_place_and_layer_computed_by_hand() -> None:
    four = [layer(stage, 1, io=stage / 10, exit=1 - stage / 10) for stage in (1, 2, 3, 4)]
    two = [layer(1, 1, io=0.5, exit=0.5), layer(1, 2, io=1.0, exit=0.0), layer(2, 1, io=1, exit=0)]
    told = step_selections([Rollout(TASK, layers=four), Rollout(TASK, layers=two)])
    assert told == (
        Selection(place="first", layer=1, count=2, probabilities={"io": 0.3, "exit": 0.7}),
        Selection(place="first", layer=2, count=1, probabilities={"io": 1.0, "exit": 0.0}),
        Selection(place="last", layer=1, count=2, probabilities={"io": 0.7, "exit": 0.3}),
        Selection(place="middle", layer=1, count=2, probabilities={"io": 0.25, "exit": 0.75}),
    )


def test_a_task_of_one_stage_has_a_first_one_alone() -> None:
    told = step_selections([Rollout(TASK, layers=[layer(1, 1, io=1.0)])])
    assert [each.place for each in told] == ["first"]


def test_where_nothing_was_chosen_there_is_nothing() -> None:
    assert step_selections([Rollout(TASK)]) == ()
