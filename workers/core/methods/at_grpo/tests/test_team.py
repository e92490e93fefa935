"""Which tasks a team can be trained on, and who the team is."""

import pytest

from workers.core.benchmarks.games.episodes import GAMES, episodes
from workers.core.errors import MethodError
from workers.core.methods.at_grpo.method import AtGrpo
from workers.core.methods.at_grpo.training.config import PRESETS
from workers.core.specs import TaskSpec

SUM = TaskSpec(query="1 + 1", reference="2", verifier="numeric")
PROGRAM = TaskSpec(
    query="Write double(n).",
    answer_form="code",
    verifier="unit_tests",
    metadata={"tests": "assert double(4) == 8"},
)
GAME = GAMES["plan_path"]
(BOARD,) = episodes(GAME, GAME.options(), split="train", count=1, seed=0)


@pytest.mark.parametrize(
    ("task", "environment", "agents", "preset"),
    [
        (SUM, "math", ("Reasoner", "Tool user"), "math"),
        (SUM.model_copy(update={"verifier": "latex"}), "math", ("Reasoner", "Tool user"), "math"),
        (PROGRAM, "code", ("Coder", "Tester"), "code"),
        (BOARD, "plan_path", ("Proposer", "Planner"), "language"),
    ],
)
def test_tasks_say_who_can_be_trained_on_them(
    task: TaskSpec, environment: str, agents: tuple[str, ...], preset: str
) -> None:
    team = AtGrpo().team_for([task])
    assert (team.environment, team.agents, team.preset) == (environment, agents, preset)
    assert preset in PRESETS


@pytest.mark.parametrize(
    ("tasks", "code"),
    [
        ([TaskSpec(query="A or B?", reference="A", verifier="choice")], "no_environment"),
        ([SUM, PROGRAM], "several_environments"),
        ([SUM, TaskSpec(query="1 + 2", verifier="numeric")], "not_rewarded"),
        ([SUM, TaskSpec(query="1 + 2", reference="three", verifier="numeric")], "not_rewarded"),
        ([PROGRAM.model_copy(update={"metadata": {}})], "not_rewarded"),
    ],
)
def test_tasks_that_no_team_can_be_trained_on_are_refused(tasks: list[TaskSpec], code: str) -> None:
    with pytest.raises(MethodError) as raised:
        AtGrpo().team_for(tasks)
    assert raised.value.code == code
    assert raised.value.remedy
