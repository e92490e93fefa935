"""Datasets composed of others: the same again, split by split, all or nothing."""

from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from rest_framework.test import APIClient

from apps.accounts.tests.cast import AsUser
from apps.tasks import making, progress
from apps.tasks.composing import Composition, dataset_compose
from apps.tasks.imports import digest_refresh, tasks_add
from apps.tasks.making import MOST_TASKS
from apps.tasks.models import Dataset
from apps.tasks.progress import Phase
from apps.tasks.services import dataset_create
from workers.core.benchmarks.compositional import TASK_GRAPH
from workers.core.specs import TaskGraphSpec, TaskSpec

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("source")]

EACH = {"train": 4, "dev": 0, "test": 2}


def problem(who: str, number: int) -> TaskSpec:
    return TaskSpec(
        query=f"{who} has {number} eggs and buys 2 more. How many?",
        reference=str(number + 2),
        verifier="numeric",
    )


@pytest.fixture
def source(db: None) -> Dataset:
    """Ann's eggs are for training, Ben's for the test; dev has words, which nobody multiplies."""
    dataset = dataset_create(values={"key": "eggs", "name": "Eggs", "licence": "MIT"})
    for split, who in (("train", "Ann"), ("test", "Ben")):
        tasks_add(dataset=dataset, split=split, tasks=[problem(who, n) for n in range(3, 23)])
    words = [TaskSpec(query=f"Who has {n} eggs?", reference="Ann", verifier="exact") for n in "123"]
    tasks_add(dataset=dataset, split="dev", tasks=words)
    digest_refresh(dataset=dataset)
    return dataset


def composed(source: Dataset, key: str = "composed", **wanted: Any) -> Dataset:
    wanted = {"splits": EACH, **wanted}
    return dataset_compose(source=source, key=key, wanted=Composition(**wanted))


def post(client: APIClient, body: dict[str, Any], key: str = "eggs", **more: Any) -> Any:
    wanted = {"key": "composed", "splits": EACH, **body}
    return client.post(f"/api/datasets/{key}/compose", wanted, format="json", **more)


def test_it_says_what_it_was_composed_of(as_user: AsUser, source: Dataset) -> None:
    made = post(as_user("curator"), {"seed": 7, "levels": ["hard", "easy"]}).json()
    assert made["splits"] == {"train": 8, "dev": 0, "test": 4}
    assert (made["name"], made["licence"], made["verifier"]) == ("Eggs, composed", "MIT", "numeric")
    assert made["source"] == f"composed of eggs, digest {source.digest}"
    said = made["description"]
    assert "Composed from the dataset eggs with seed 7." in said
    assert "Levels: easy (3 problems), hard (7 problems)." in said
    assert "Of each level: 4 in train, 2 in test" in said
    assert len(made["digest"]) == 64
    assert post(as_user("curator"), {"key": "other", "name": "Other"}).json()["name"] == "Other"


def test_tasks_keep_their_graph_and_are_made_of_their_own_split(source: Dataset) -> None:
    made = composed(source)
    for split, mine, other in (("train", "Ann", "Ben"), ("test", "Ben", "Ann")):
        tasks = list(made.tasks.filter(split=split).order_by("index"))
        assert [task.domain for task in tasks] == ["easy", "medium", "hard"] * EACH[split]
        for task, nodes in zip(tasks, [3, 5, 7] * EACH[split], strict=True):
            graph = TaskGraphSpec.model_validate(task.metadata[TASK_GRAPH])
            assert len(graph.subtasks) == nodes + 1
            assert all(subtask.reference for subtask in graph.subtasks)
            assert task.reference == graph.subtasks[-1].reference
            assert task.query.count(mine) == nodes
            assert other not in task.query


def test_the_same_problems_and_settings_make_the_same_tasks(source: Dataset) -> None:
    made = composed(source)
    assert composed(source, "again", levels=["hard", "medium", "easy"]).digest == made.digest
    assert composed(source, "other", seed=1).digest != made.digest
    hard = composed(source, "hard", splits={"test": 1}, levels=["hard"])
    of_all = made.tasks.filter(split="test", domain="hard").order_by("index")
    assert hard.tasks.get().spec() == of_all[0].spec()  # what is not asked for changes nothing
    tasks_add(dataset=source, split="train", tasks=[problem("Ann", 99)])
    digest_refresh(dataset=source)
    later = composed(source, "later")
    assert (later.digest, later.source) != (made.digest, made.source)


@pytest.mark.parametrize(
    ("body", "field", "error"),
    [
        ({"splits": {"dev": 1}}, "splits.dev", ("no_numeric_problems", "a split of numeric")),
        ({"splits": {"train": MOST_TASKS}}, "splits", ("too_many_tasks", "30,000 tasks; at most")),
        ({"splits": {"train": MOST_TASKS + 1}}, "splits.train", ("max_value", "10000")),
        ({"splits": {"train": -1}}, "splits.train", ("min_value", "0")),
        ({"splits": {}}, "splits", ("required", "at least one split")),
        ({"splits": 3}, "splits", ("invalid", "dictionary")),
        ({"levels": []}, "levels", ("empty", "empty")),
        ({"levels": ["harder"]}, "levels.0", ("invalid_choice", "harder")),
        ({"seed": -1}, "seed", ("min_value", "0")),
        ({"key": "No Slug"}, "key", ("invalid", "1 to 63")),
        ({"key": "eggs"}, "key", ("key_taken", "already a dataset “eggs”")),
        ({"name": "x" * 121}, "name", ("max_length", "120")),
    ],
)
def test_what_is_wrong_is_told_at_its_field_and_nothing_stays(
    as_user: AsUser, body: dict[str, Any], field: str, error: tuple[str, str]
) -> None:
    code, said = error
    refused = post(as_user("curator"), {"levels": ["easy", "medium", "hard"], **body})
    assert refused.status_code == (409 if code == "key_taken" else 400), refused.content
    told = {each["field"]: each for each in refused.json()["error"]["fields"]}
    assert told[field]["code"] == code
    assert said in told[field]["message"]
    assert Dataset.objects.count() == 1


def test_too_few_problems_and_too_large_products_name_the_way_out(as_user: AsUser) -> None:
    large = [
        TaskSpec(query=f"{n} stars", reference=str(10**9), verifier="numeric") for n in "12345"
    ]
    few = dataset_create(values={"key": "few", "name": "Few"})
    tasks_add(dataset=few, split="dev", tasks=large)
    tasks_add(dataset=few, split="test", tasks=large[:2])
    tasks_add(dataset=few, split="train", tasks=[problem("Ann", n) for n in range(3)])
    body = {"splits": {"train": 999, "dev": 1, "test": 1}, "levels": ["easy"]}
    fields = post(as_user("curator"), body, key="few").json()["error"]["fields"]
    told = {each["field"]: (each["code"], each["message"]) for each in fields}
    for split, code, said in (
        ("train", "too_many_tasks", "Choose fewer tasks"),
        ("dev", "product_out_of_bounds", "smaller answers"),
        ("test", "too_few_problems", "Split “test”: A task of 3 problems needs 3"),
    ):
        assert told[f"splits.{split}"][0] == code
        assert said in told[f"splits.{split}"][1]


def test_no_more_is_made_than_a_file_may_hold(as_user: AsUser, settings: Any) -> None:
    settings.DATASET_MAX_BYTES = 5_000
    error = post(as_user("curator"), {}).json()["error"]
    assert error["code"] == "too_large"
    assert "5,000 characters" in error["message"]
    assert not Dataset.objects.filter(key="composed").exists()


def test_of_no_dataset(as_user: AsUser) -> None:
    assert post(as_user("curator"), {}, key="nope").status_code == 404


class TestCommand:
    def run(self, *arguments: str) -> str:
        said = StringIO()
        call_command("compose_dataset", *arguments, stdout=said)
        return said.getvalue()

    def test_it_makes_what_the_page_makes(self, source: Dataset) -> None:
        options = ("--split", "train:4", "test:2", "--name", "Here")
        said = self.run("eggs", "here", *options)
        made = Dataset.objects.get(key="here")
        assert said.strip() == f"here: 18 tasks composed of eggs, digest {made.digest}"
        assert made.name == "Here"
        assert made.digest == composed(source).digest

    def test_levels_and_seed(self, source: Dataset) -> None:
        self.run("eggs", "here", "--split", "test:2", "--levels", "easy", "--seed", "3")
        twin = composed(source, splits={"test": 2}, levels=["easy"], seed=3)
        assert Dataset.objects.get(key="here").digest == twin.digest

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["nope", "here", "--split", "dev:3"], "no dataset “nope”"),
            (["eggs", "here", "--split", "dev:3"], "splits.dev: No task of the split “dev”"),
            (["eggs", "here", "--split", "all:3"], "splits: There is no “all”. Use one of: train"),
            (["eggs", "here", "--split", "train"], "SPLIT:COUNT"),
            (["eggs", "here", "--split", "dev:-3"], "SPLIT:COUNT"),
            (["eggs", "here", "--split", "dev:1", "dev:2"], "each split once"),
            (["eggs", "here", "--split", "train:1", "--levels", "harder"], "invalid choice"),
        ],
    )
    def test_what_is_wrong_is_told_and_nothing_stays(self, arguments: list[str], said: str) -> None:
        with pytest.raises(CommandError, match=said):
            self.run(*arguments)
        assert Dataset.objects.count() == 1


def test_how_far_it_is_is_told(source: Dataset) -> None:
    told: list[tuple[Phase, int, int]] = []
    wanted = Composition(EACH)
    made = dataset_compose(
        source=source, key="composed", wanted=wanted, tell=lambda *note: told.append(note)
    )
    assert made.tasks.count() == wanted.tasks() == 18
    by_phase = {phase: [done for p, done, _ in told if p == phase] for phase, _, _ in told}
    assert list(by_phase) == ["composing", "storing", "finishing"]
    assert by_phase["composing"] == list(range(1, 19))
    assert by_phase["storing"] == [12, 18]
    assert {total for _, _, total in told} == {18}


def test_it_is_told_by_its_id_and_stopped(as_user: AsUser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PAUSE_SECONDS", 0.0)
    client, notes, own = as_user("curator"), [], f"/api/datasets/imports/{uuid4()}"

    def stopped(**given: Any) -> None:
        notes.append(client.get(own).json())
        assert client.delete(own).status_code == 204
        digest_refresh(**given)

    monkeypatch.setattr(making, "digest_refresh", stopped)
    answer = post(client, {}, headers={"Import-Id": own.rpartition("/")[2]})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "import_stopped")
    assert [(note["phase"], note["done"], note["total"]) for note in notes] == [("storing", 18, 18)]
    assert not Dataset.objects.filter(key="composed").exists()


def test_the_command_draws_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("compose_dataset", "eggs", "composed", "--split", "train:4", stdout=StringIO())
    drawn = capsys.readouterr().err
    assert "12/12 tasks, composing" in drawn
    assert "12/12 tasks, storing" in drawn
