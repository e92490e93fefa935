"""Which datasets a team can be trained on, as the page “Train a team” asks."""

from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from apps.accounts.tests.cast import AsUser
from apps.tasks.models import Dataset, Task
from workers.core.benchmarks.games.episodes import GAMES, episodes

pytestmark = pytest.mark.django_db
ADDRESS = "/api/training/methods/at_grpo/datasets"


def stored(key: str, *tasks: dict[str, Any], split: str = "train") -> None:
    dataset = Dataset.objects.create(key=key, name=key.title())
    for index, values in enumerate(tasks):
        usual = {"query": f"{key} {index}", "verifier": "numeric", "split": split}
        Task.objects.create(dataset=dataset, index=index, **usual | values)


def told(as_user: AsUser) -> dict[str, Any]:
    answer = as_user("viewer").get(ADDRESS)
    assert answer.status_code == 200
    return {row["key"]: row for row in answer.json()}


def test_each_dataset_has_its_team(as_user: AsUser, dataset: Dataset) -> None:
    tests = {"tests": "assert double(4) == 8"}
    stored("code", {"verifier": "unit_tests", "metadata": tests})
    game = GAMES["plan_path"]
    (board,) = episodes(game, game.options(), split="train", count=1, seed=0)
    stored("boards", board.model_dump(include={"query", "verifier", "metadata"}))
    found = told(as_user)
    assert found["sums"] == {
        "key": "sums",
        "name": "Sums",
        "tasks": 6,
        "team": {
            "environment": "math",
            "name": "Mathematics, two agents",
            "agents": ["Reasoner", "Tool user"],
            "preset": "math",
        },
        "problem": None,
    }
    teams = {key: (row["team"]["environment"], row["team"]["preset"]) for key, row in found.items()}
    assert teams["code"] == ("code", "code")
    assert teams["boards"] == ("plan_path", "language")


def test_a_dataset_that_fits_no_team_says_why(as_user: AsUser) -> None:
    right = {"reference": "1"}
    stored("choices", right | {"verifier": "choice"})
    stored("mixed", right, right | {"verifier": "choice"})
    stored("open", right, right, {"reference": ""})
    stored("unjudged", right | {"verifier": ""})
    stored("held", right, split="test")
    problems = {}
    for key, row in told(as_user).items():
        assert row["team"] is None
        assert row["problem"]["message"]
        assert row["problem"]["remedy"]
        problems[key] = row["problem"]["code"], row["tasks"]
    assert problems == {
        "choices": ("no_environment", 1),
        "mixed": ("no_environment", 2),
        "open": ("not_rewarded", 3),
        "unjudged": ("no_tasks", 0),
        "held": ("no_tasks", 0),
    }


def test_they_are_read_by_few_queries(
    as_user: AsUser, dataset: Dataset, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(5):
        stored(f"more-{number}", {"reference": "1"})
    client = as_user("viewer")
    with django_assert_max_num_queries(5):
        assert len(client.get(ADDRESS).json()) == 6


@pytest.mark.parametrize("method", ["learner", "direct", "none"])
def test_other_methods_train_no_team(as_user: AsUser, method: str) -> None:
    address = f"/api/training/methods/{method}/datasets"
    assert as_user("viewer").get(address).status_code == 404
