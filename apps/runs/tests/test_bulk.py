"""Many runs at once, and runs that are deleted."""

import json
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from rest_framework.test import APIClient

from apps.accounts.models import User
from apps.accounts.tests.cast import OWNED, AsUser
from apps.evaluations.models import Evaluation
from apps.runs.annotations import Note, annotation_save
from apps.runs.models import Annotation, Run, RunEvent, Share
from apps.runs.tests.links import share
from apps.runs.tests.traces import tell

pytestmark = pytest.mark.django_db

MakeRun = Callable[..., Run]


def done(client: APIClient, action: str, *runs: Run | UUID, **body: Any) -> Any:
    ids = [str(run.id if isinstance(run, Run) else run) for run in runs]
    headers = body.pop("headers", {})
    wanted = {"runs": ids, "action": action, **body}
    return client.post("/api/runs/bulk", wanted, format="json", headers=headers)


def codes(answer: Any) -> list[str | None]:
    """Of what each run refused; None: it was done."""
    return [each["refusal"] and each["refusal"]["code"] for each in answer.json()]


class TestRights:
    @pytest.mark.parametrize(("who", "deletes"), OWNED)
    def test_the_owner_and_admins_delete_it(
        self, as_user: AsUser, stored: MakeRun, who: str, deletes: int
    ) -> None:
        run, client = stored(), as_user(who)
        for action in ("cancel", "retry", "label", "delete"):
            assert done(client, action, stored(), label="odd").status_code == 200, action
        status = client.delete(f"/api/runs/{run.id}").status_code
        assert status == (204 if deletes == 200 else deletes)
        assert Run.objects.filter(id=run.id).exists() is (deletes != 200)

    def test_what_is_anothers_is_refused_and_the_rest_done(
        self, as_user: AsUser, stored: MakeRun
    ) -> None:
        mine, another = stored(), stored()
        Run.objects.filter(id=another.id).update(created_by=None)
        answer = done(as_user("operator"), "delete", mine, another, uuid4())
        assert codes(answer) == [None, "not_yours", "not_found"]
        assert list(Run.objects.values_list("id", flat=True)) == [another.id]


class TestActions:
    def test_those_under_way_are_cancelled(self, as_user: AsUser, make_run: MakeRun) -> None:
        one, other = make_run(), make_run()
        client = as_user("operator")
        assert codes(done(client, "cancel", one, other, one)) == [None, None]  # named twice
        assert codes(done(client, "cancel", one)) == ["run_ended"]
        assert set(Run.objects.values_list("status", flat=True)) == {"cancelled"}

    def test_they_are_run_again_and_a_request_that_comes_twice_makes_none(
        self, as_user: AsUser, stored: MakeRun
    ) -> None:
        one, other = stored(), stored(query="2 + 2?")
        client = as_user("operator")
        first = done(client, "retry", one, other, headers={"Idempotency-Key": "k1"}).json()
        again = done(client, "retry", one, other, headers={"Idempotency-Key": "k1"}).json()
        assert [each["made"] for each in first] == [each["made"] for each in again]
        assert Run.objects.count() == 4
        made = Run.objects.get(id=first[1]["made"])
        assert (made.query, made.retry_of_id) == ("2 + 2?", other.id)

    def test_a_label_leaves_the_rest_of_a_note(
        self, as_user: AsUser, stored: MakeRun, cast: dict[str, User]
    ) -> None:
        noted, plain = stored(), stored()
        annotation_save(
            user=cast["operator"], run_id=noted.id, note=Note(4, "before", "The critic saw it.")
        )
        client = as_user("operator")
        assert codes(done(client, "label", noted, plain, label=" odd unit ")) == [None, None]
        told = Annotation.objects.order_by("-score").values_list("score", "label", "comment")
        assert set(told) == {(4, "odd unit", "The critic saw it."), (None, "odd unit", "")}
        assert codes(done(client, "label", noted, plain, label="")) == [None, None]
        assert list(Annotation.objects.values_list("label", "comment")) == [
            ("", "The critic saw it.")
        ]
        assert codes(done(client, "label", noted, label="x" * 61)) == ["bad_label"]

    def test_what_is_no_list_of_runs(self, as_user: AsUser) -> None:
        client = as_user("operator")
        assert done(client, "cancel").status_code == 400
        assert done(client, "cancel", *(uuid4() for _ in range(101))).status_code == 400
        assert done(client, "paint", uuid4()).status_code == 400
        wanted = {"runs": ["nothing"], "action": "cancel"}
        assert client.post("/api/runs/bulk", wanted, format="json").status_code == 400


class TestDeleting:
    def test_its_trace_notes_and_links_go_and_what_was_made_from_it_stays(
        self, as_user: AsUser, stored: MakeRun, cast: dict[str, User]
    ) -> None:
        run = stored()
        annotation_save(user=cast["curator"], run_id=run.id, note=Note(1))
        share(as_user("operator"), run)
        fork = Run.objects.get(id=done(as_user("operator"), "retry", run).json()[0]["made"])
        assert RunEvent.objects.filter(run=run).exists()
        assert codes(done(as_user("operator"), "delete", run)) == [None]
        assert list(Run.objects.values_list("id", "retry_of")) == [(fork.id, None)]
        for rows in (RunEvent, Annotation, Share):
            assert not rows.objects.filter(run_id=run.id).exists()

    def test_one_under_way_is_cancelled_first(self, as_user: AsUser, make_run: MakeRun) -> None:
        run = make_run()
        assert codes(done(as_user("operator"), "delete", run)) == ["run_not_ended"]
        assert Run.objects.filter(id=run.id).exists()

    def test_an_answer_of_an_evaluation_stays(
        self, as_user: AsUser, stored: MakeRun, cast: dict[str, User]
    ) -> None:
        run = stored()
        evaluation = Evaluation.objects.create(name="Sums", created_by=cast["operator"])
        Run.objects.filter(id=run.id).update(evaluation=evaluation)
        assert codes(done(as_user("admin"), "delete", run)) == ["of_an_evaluation"]


class TestFile:
    def test_a_line_for_each_run_with_its_whole_trace(
        self, as_user: AsUser, stored: MakeRun, cast: dict[str, User], monkeypatch: Any
    ) -> None:
        monkeypatch.setattr("apps.runs.export.PAGE", 1)
        one, other = stored(), stored(query="2 + 2?")
        annotation_save(user=cast["curator"], run_id=one.id, note=Note(5, "good"))
        for seed in (5, 6, 7):
            tell(one, "run_started", seed=seed)
        answer = as_user("viewer").get(f"/api/runs/export?runs={other.id},{one.id},{uuid4()}")
        assert answer["Content-Disposition"] == 'attachment; filename="runs.jsonl"'
        first, second = map(json.loads, answer.getvalue().splitlines())
        assert (first["run"]["id"], second["run"]["id"]) == (str(other.id), str(one.id))
        assert second["run"]["annotations"][0]["label"] == "good"
        events = as_user("viewer").get(f"/api/runs/{one.id}/events").json()["results"]
        assert second["events"] == events
        assert len(events) >= 3

    def test_all_that_match_newest_first(
        self, as_user: AsUser, stored: MakeRun, make_run: MakeRun, monkeypatch: Any
    ) -> None:
        old, new, _ = stored(query="Old loaves?"), stored(query="New loaves?"), stored()
        make_run(query="Which loaves?")

        def lines(query: str) -> list[Any]:
            answer = as_user("viewer").get(f"/api/runs/export?{query}")
            return [json.loads(line) for line in answer.getvalue().splitlines()]

        matching = lines("q=loaves&status=cancelled")
        assert [line["run"]["id"] for line in matching] == [str(new.id), str(old.id)]
        assert all(line["events"] for line in matching)
        assert len(lines("")) == 4
        monkeypatch.setattr("apps.runs.export.IDS", 1)
        assert lines("q=loaves&status=cancelled") == matching
        Run.objects.update(created_at=new.created_at)
        by_id = sorted((line["run"]["id"] for line in lines("")), reverse=True)
        assert [line["run"]["id"] for line in lines("")] == by_id
        assert as_user("viewer").get("/api/runs/export?status=nope").status_code == 400

    def test_what_names_no_runs(self, as_user: AsUser) -> None:
        for runs in ("", "nothing", ",".join(str(uuid4()) for _ in range(101))):
            assert as_user("viewer").get(f"/api/runs/export?runs={runs}").status_code == 400
