"""Datasets of questions that need research: the same again, all or nothing."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from rest_framework.test import APIClient

from apps.accounts.tests.cast import AsUser, by_group
from apps.tasks.making import MOST_TASKS
from apps.tasks.models import Dataset
from workers.core.benchmarks.research import facts

pytestmark = pytest.mark.django_db
EACH = {"train": 6, "dev": 3, "test": 3}


def post(client: APIClient, **body: Any) -> Any:
    return client.post("/api/questions", {"key": "made", "splits": EACH, **body}, format="json")


@pytest.mark.parametrize(("who", "status"), by_group("curator", 201))
def test_who_may(as_user: AsUser, who: str, status: int) -> None:
    assert post(as_user(who)).status_code == status
    assert Dataset.objects.exists() is (status == 201)


def test_it_says_how_its_questions_were_drawn(as_user: AsUser) -> None:
    made = post(as_user("curator"), levels=[2, 3], seed=5).json()
    assert (made["name"], made["benchmark"], made["splits"]) == (
        "Research, levels 2, 3",
        "research",
        EACH,
    )
    assert "Levels 2, 3, seed 5: 6 in train, 3 in dev, 3 in test" in made["description"]
    tasks = Dataset.objects.get(key="made").tasks.all()
    assert {task.metadata["level"] for task in tasks} == {2, 3}


@pytest.mark.parametrize(
    ("body", "field", "code", "said"),
    [
        ({"splits": {}}, "splits", "required", "how many tasks"),
        ({"splits": {"train": MOST_TASKS, "dev": 1}}, "splits", "too_many_tasks", "10,001"),
        ({"splits": {"dev": 4_000}, "levels": [2]}, "splits.dev", "no_question", "Ask for fewer"),
        ({"levels": [4]}, "levels", "unknown", "levels 1, 2, 3"),
        ({"levels": []}, "levels", "unknown", "levels 1, 2, 3"),
        ({"seed": -1}, "seed", "min_value", "0"),
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


def test_without_the_facts_it_says_what_to_do(
    as_user: AsUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(facts, "PACKAGE", "no_such_package")
    facts.countries.cache_clear()
    assert "Start bin/studio" in str(post(as_user("curator")).json())


def test_the_command_makes_what_the_api_makes(as_user: AsUser) -> None:
    said = StringIO()
    splits = [f"{split}:{count}" for split, count in EACH.items()]
    call_command("make_questions", "here", "--split", *splits, "--levels", "1", stdout=said)
    made = Dataset.objects.get(key="here")
    assert said.getvalue().strip() == f"here: 12 questions, digest {made.digest}"
    assert post(as_user("curator"), levels=[1]).json()["digest"] == made.digest
    with pytest.raises(CommandError, match="invalid choice"):
        call_command("make_questions", "there", "--split", "dev:3", "--levels", "7")
