"""Notes on runs: one per person, read by all who read the run."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from apps.accounts.models import User
from apps.accounts.tests.cast import AsUser
from apps.runs.models import Annotation, Run

pytestmark = pytest.mark.django_db

MakeRun = Callable[..., Run]


def note(client: APIClient, run: Run, **body: Any) -> Any:
    return client.put(f"/api/runs/{run.id}/annotation", body, format="json")


def test_it_is_written_and_taken_back(as_user: AsUser, make_run: MakeRun) -> None:
    run, client = make_run(), as_user("operator")
    assert note(client, run, score=4).status_code == 200
    assert client.delete(f"/api/runs/{run.id}/annotation").status_code == 204
    assert not Annotation.objects.exists()


def test_one_per_person_and_the_run_tells_all(as_user: AsUser, make_run: MakeRun) -> None:
    run = make_run()
    note(as_user("operator"), run, score=2, label="wrong unit")
    note(as_user("curator"), run, comment="The critic\nsaw it.")
    told = note(as_user("operator"), run, score=3, label=" Wrong unit ").json()
    assert [(each["author"], each["score"], each["label"]) for each in told] == [
        ("curator", None, ""),
        ("operator", 3, "Wrong unit"),
    ]
    seen = as_user("viewer").get(f"/api/runs/{run.id}").json()["annotations"]
    assert seen == told
    assert seen[0]["comment"] == "The critic\nsaw it."


def test_what_is_no_note(as_user: AsUser, make_run: MakeRun) -> None:
    run, client = make_run(), as_user("operator")
    wrong: list[tuple[dict[str, Any], str]] = [
        ({}, "comment"),
        ({"label": "  "}, "comment"),
        ({"score": 0}, "score"),
        ({"score": 6}, "score"),
        ({"score": "much"}, "score"),
        ({"label": "x" * 61}, "label"),
        ({"label": "two\nlines"}, "label"),
        ({"comment": "x" * 4_001}, "comment"),
        ({"comment": "bell \x07"}, "comment"),
    ]
    for body, field in wrong:
        answer = note(client, run, **body)
        assert answer.status_code == 400, body
        assert field in [error["field"] for error in answer.json()["error"]["fields"]], body
    assert note(client, Run(id=uuid4()), score=1).status_code == 404
    assert not Annotation.objects.exists()


def test_words_are_looked_for_in_questions_answers_and_notes(
    as_user: AsUser, make_run: MakeRun, cast: dict[str, User]
) -> None:
    run, other = make_run(query="How many loaves?"), make_run(query="How many cakes?")
    Run.objects.filter(id=run.id).update(answer="Seven, at noon")

    def found(words: str) -> set[str]:
        results = as_user("viewer").get(f"/api/runs?q={words}").json()["results"]
        return {result["id"] for result in results}

    both, one = {str(run.id), str(other.id)}, {str(run.id)}
    assert (found("many"), found("seven"), found("loaves+noon")) == (both, one, one)
    note(as_user("operator"), run, label="Wrong unit", comment="The critic saw it.")
    note(as_user("curator"), run, label="Odd")
    assert found("loaves+seven+unit+critic+odd") == one
    note(as_user("operator"), run, label="Right unit")
    assert (found("wrong"), found("critic"), found("right+odd")) == (set(), set(), one)
    as_user("operator").delete(f"/api/runs/{run.id}/annotation")
    assert (found("unit"), found("odd")) == (set(), one)
    cast["curator"].delete()
    assert (found("odd"), found("loaves")) == (set(), one)


def test_the_longest_texts_are_kept_and_found(as_user: AsUser, make_run: MakeRun) -> None:
    """Postgres takes no row whose words come to a megabyte."""
    run = make_run()
    answer = " ".join(f"{number:x}" for number in range(300_000))
    Run.objects.filter(id=run.id).update(answer=answer)
    assert len(as_user("viewer").get("/api/runs?q=fff").json()["results"]) == 1


def test_runs_are_found_by_their_notes(as_user: AsUser, make_run: MakeRun) -> None:
    labelled, scored, plain = make_run(), make_run(), make_run()
    note(as_user("operator"), labelled, label="Wrong unit")
    note(as_user("curator"), labelled, label="wrong unit")
    note(as_user("operator"), scored, score=5)

    def found(query: str) -> list[str]:
        results = as_user("viewer").get(f"/api/runs?{query}").json()["results"]
        return [run["id"] for run in results]

    assert found("label=WRONG+unit") == [str(labelled.id)]
    assert found("annotated=true") == [str(scored.id), str(labelled.id)]
    assert found("annotated=false") == [str(plain.id)]
    note(as_user("curator"), scored, score=2)
    assert found("min_score=5") == found("min_score=3") == [str(scored.id)]
    assert as_user("viewer").get("/api/runs?min_score=6").status_code == 400


def test_the_list_tells_notes_with_long_comments_cut(as_user: AsUser, make_run: MakeRun) -> None:
    run = make_run()
    note(as_user("operator"), run, score=2, label="wrong unit", comment="x" * 301)
    note(as_user("curator"), run, label="odd")
    (told,) = as_user("viewer").get("/api/runs").json()["results"]
    whole = as_user("viewer").get(f"/api/runs/{run.id}").json()["annotations"]
    assert told["annotations"] == [{**whole[0], "comment": "x" * 300}, whole[1]]


def test_labels_each_once_and_what_is_on_most_runs_first(
    as_user: AsUser, make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = make_run(), make_run()
    note(as_user("operator"), one, label="Wrong unit")
    note(as_user("curator"), one, label="wrong unit")
    note(as_user("admin"), one, label="odd")
    note(as_user("curator"), other, label="Odd")
    note(as_user("admin"), other, label="bright")
    note(as_user("operator"), other, score=3)

    def told() -> list[tuple[str, int]]:
        rows = as_user("viewer").get("/api/runs/labels").json()
        return [(row["name"].lower(), row["runs"]) for row in rows]

    assert told() == [("odd", 2), ("bright", 1), ("wrong unit", 1)]
    monkeypatch.setattr("apps.runs.selectors.MOST_LABELS", 1)
    assert told() == [("odd", 2)]
