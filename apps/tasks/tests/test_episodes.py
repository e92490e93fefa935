"""Datasets of a game's episodes: the same again, no board twice, all or nothing."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from rest_framework.test import APIClient

from apps.accounts.tests.cast import AsUser, by_group
from apps.tasks.episodes import Wanted, dataset_of_episodes
from apps.tasks.imports import ImportOptions, dataset_import
from apps.tasks.making import MOST_TASKS
from apps.tasks.models import Dataset
from apps.tasks.services import dataset_create
from apps.tasks.source import uploaded
from workers.core.benchmarks.games.episodes import BOARD, GAMES

pytestmark = pytest.mark.django_db

EACH = {"train": 6, "dev": 2, "test": 3}


def post(client: APIClient, game: str = "plan_path", **body: Any) -> Any:
    wanted = {"key": "made", "splits": EACH, **body}
    return client.post(f"/api/games/{game}/episodes", wanted, format="json")


@pytest.mark.parametrize(("who", "status"), by_group("curator", 201))
def test_who_may(as_user: AsUser, who: str, status: int) -> None:
    assert post(as_user(who)).status_code == status
    assert Dataset.objects.exists() is (status == 201)


@pytest.mark.parametrize(("who", "status"), by_group("viewer"))
def test_who_sees_the_games(as_user: AsUser, who: str, status: int) -> None:
    seen = as_user(who).get("/api/games")
    assert seen.status_code == status
    if status == 200:
        told = {game["key"]: game["options_schema"]["properties"] for game in seen.json()}
        assert told["plan_path"]["size"]["default"] == 10
        assert set(told) == set(GAMES)


def test_it_says_how_its_boards_were_drawn(as_user: AsUser) -> None:
    made = post(as_user("curator"), "sokoban", options={"size": 7, "boxes": 2}, seed=5).json()
    assert made["splits"] == EACH
    assert made["name"] == "Sokoban, 7×7, 2 boxes"
    assert (made["benchmark"], made["licence"]) == ("sokoban", "CC0-1.0")
    assert (
        "size 7, boxes 2, walls 0.1, seed 5: 6 in train, 2 in dev, 3 in test"
        in (made["description"])
    )


def test_the_same_seed_makes_the_same_tasks_and_no_board_stands_twice() -> None:
    def made(key: str, seed: int, train: int = 20) -> Dataset:
        wanted = Wanted({"train": train, "test": 20}, {"size": 5}, seed)
        return dataset_of_episodes(game=GAMES["plan_path"], key=key, wanted=wanted)

    first, again, other = made("first", 0), made("again", 0), made("other", 9_000)
    assert first.digest == again.digest != other.digest
    boards = [task.metadata[BOARD] for task in first.tasks.all()]
    assert len(set(boards)) == 40
    tests_of_other = {task.metadata[BOARD] for task in other.tasks.filter(split="test")}
    trained = {task.metadata[BOARD] for task in made("large", 0, 300).tasks.filter(split="train")}
    assert not trained & tests_of_other


@pytest.mark.parametrize(
    ("body", "field", "code", "said"),
    [
        ({"splits": {}}, "splits", "required", "how many tasks"),
        ({"splits": {"dev": -1}}, "splits.dev", "min_value", "0"),
        (
            {"splits": {"train": MOST_TASKS, "dev": 1}},
            "splits",
            "too_many_tasks",
            "10,001 episodes; at most 10,000",
        ),
        ({"options": {"size": 1}}, "options.size", "greater_than_equal", "2"),
        ({"options": {"colour": "red"}}, "options.colour", "extra_forbidden", "not permitted"),
        ({"options": {"size": "wide"}}, "options.size", "int_parsing", "integer"),
        ({"options": 5}, "options", "not_a_dict", "dictionary"),
        ({"options": {"size": 2, "walls": 0}}, "splits.test", "no_board", "larger boards"),
        ({"seed": -1}, "seed", "min_value", "0"),
        ({"key": "No Slug"}, "key", "invalid", "1 to 63"),
    ],
)
def test_what_is_wrong_is_told_at_its_field_and_nothing_stays(
    as_user: AsUser, body: dict[str, Any], field: str, code: str, said: str
) -> None:
    refused = post(as_user("curator"), **body)
    assert refused.status_code == 400, refused.content
    told = {each["field"]: each for each in refused.json()["error"]["fields"]}
    assert told[field]["code"] == code
    assert said in told[field]["message"]
    assert not Dataset.objects.exists()


def test_of_no_game(as_user: AsUser) -> None:
    assert post(as_user("curator"), "chess").status_code == 404


def test_boards_of_ones_own_are_imported() -> None:
    dataset = dataset_create(values={"key": "mine", "name": "Mine", "benchmark": "plan_path"})
    rows = b'{"board": "S.\\n.G"}\n{"board": "S.\\n.."}\n'
    with uploaded("boards.jsonl", [rows]) as source:
        report = dataset_import(dataset=dataset, source=source, options=ImportOptions(split="test"))
    assert report.imported == 1
    assert "a board has one G, not 0" in report.skipped[0].reason
    task = dataset.tasks.get().spec()
    assert task.reference == "Answer: down, right"
    assert task.verifier == "game"


class TestCommand:
    def run(self, *arguments: str) -> str:
        said = StringIO()
        call_command("make_episodes", *arguments, stdout=said)
        return said.getvalue()

    def test_it_makes_what_the_page_makes(self, as_user: AsUser) -> None:
        said = self.run(
            "sudoku", "here", "--split", "train:6", "dev:2", "test:3", "--set", "empty=6"
        )
        made = Dataset.objects.get(key="here")
        assert said.strip() == f"here: 11 episodes, digest {made.digest}"
        twin = post(as_user("curator"), "sudoku", options={"empty": 6}).json()
        assert twin["digest"] == made.digest

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["chess", "here", "--split", "dev:3"], "invalid choice"),
            (["sudoku", "here", "--split", "all:3"], "There is no “all”"),
            (["sudoku", "here", "--split", "dev:3", "--set", "empty=13"], "options.empty"),
            (["sudoku", "here", "--split", "dev:3", "--set", "empty"], "KEY=VALUE"),
        ],
    )
    def test_what_is_wrong_is_told_and_nothing_stays(self, arguments: list[str], said: str) -> None:
        with pytest.raises(CommandError, match=said):
            self.run(*arguments)
        assert not Dataset.objects.exists()
