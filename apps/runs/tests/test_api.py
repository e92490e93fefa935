"""Runs over HTTP, as every member of the cast, with good and bad input."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import orjson
import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from apps.accounts.models import User
from apps.accounts.tests.cast import OWNED, AsUser
from apps.llms.models import Endpoint
from apps.roles.models import RolePool
from apps.runs.lifecycle import run_claim
from apps.runs.models import Run, RunEvent
from apps.runs.selectors import run_spec
from apps.tasks.models import Dataset, Task

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("endpoint", "sent")]

MakeRun = Callable[..., Run]
BODY = {"query": "1 + 1?", "method": "direct"}
FIELDS = {
    *("id", "status", "attempt", "max_attempts", "seed", "budget", "failure", "seconds", "usage"),
    *("method", "method_config", "endpoint", "pool", "pool_version", "checkpoint", "agent_count"),
    *("query", "reference", "answer", "correct", "reward", "annotations"),
    *("replies", "cut_replies", "cut_agents", "final_cut"),
    *("created_by", "created_at", "started_at", "finished_at", "cancel_requested_at"),
    *("retry_of", "fork_of", "evaluation", "design", "design_name", "design_version"),
}
WHOLE = FIELDS | {
    *("message", "answer_form", "files", "graph", "evaluation_name", "task_index", "asked_model"),
}


def add_events(run: Run, count: int, *, attempt: int = 1) -> None:
    RunEvent.objects.bulk_create(
        RunEvent(
            run=run,
            attempt=attempt,
            seq=seq,
            kind="intermediate_answer",
            payload={"event": "intermediate_answer", "step": seq, "answer": "ä", "at": 1.5},
            at=datetime.fromtimestamp(1.5, UTC),
        )
        for seq in range(1, count + 1)
    )


class TestWhoMayDoWhat:
    @pytest.mark.parametrize(("who", "cancels"), OWNED)
    def test_the_owner_and_admins_cancel_it(
        self, as_user: AsUser, make_run: MakeRun, who: str, cancels: int
    ) -> None:
        client, address = as_user(who), f"/api/runs/{make_run().id}"
        assert client.post(f"{address}/retry").status_code == 409  # it has not ended
        assert client.post(f"{address}/cancel").status_code == cancels

    def test_a_session_needs_csrf(self, cast: dict[str, User]) -> None:
        client = APIClient(enforce_csrf_checks=True)
        client.force_login(cast["operator"])
        assert client.post("/api/runs", BODY).status_code == 403


class TestCreate:
    def test_the_run_comes_back_whole(self, as_user: AsUser, pool: RolePool) -> None:
        body = {**BODY, "method": "mashost", "seed": 5, "budget": {"max_tokens": 99}}
        answer = as_user("operator").post("/api/runs", body)
        assert answer.status_code == 201
        run = answer.json()
        assert set(run) == WHOLE
        assert (run["status"], run["attempt"], run["max_attempts"]) == ("queued", 0, 3)
        assert (run["endpoint"], run["pool"], run["pool_version"]) == ("stub", "small", 3)
        assert (run["seed"], run["created_by"]) == (5, "operator")
        assert run["budget"]["max_tokens"] == 99
        assert run["budget"]["max_seconds"] == 300.0
        assert run["usage"] == {"prompt_tokens": None, "completion_tokens": None, "cost": None}
        assert run["checkpoint"] is None
        assert as_user("viewer").get(f"/api/runs/{run['id']}").json() == run

    def test_it_keeps_how_large_its_model_was_and_what_a_reply_might_have(
        self, as_user: AsUser, endpoint: Endpoint, make_run: MakeRun
    ) -> None:
        size = {"parameters": 494_032_768, "parameters_from": "server", "context_length": 1_000}
        extra = {"top_p": 0.9, "chat_template_kwargs": {"enable_thinking": False}}
        Endpoint.objects.filter(pk=endpoint.pk).update(**size, extra_body=extra)
        client = as_user("operator")
        run = client.post("/api/runs", BODY).json()
        told = {"name": "stub", **size, "is_small": True, "reply_tokens": 500, "extra_body": extra}
        assert run["asked_model"] == told
        Endpoint.objects.update(
            parameters=8_000_000_000, parameters_from="person", extra_body={"top_p": 0.1}
        )
        again = client.get(f"/api/runs/{run['id']}").json()
        assert again["asked_model"] == told
        Run.objects.filter(id=run["id"]).update(endpoint_spec={"model": "stub"})
        older = client.get(f"/api/runs/{run['id']}").json()["asked_model"]
        assert (older["is_small"], older["parameters"], older["context_length"]) == (None,) * 3
        assert older["extra_body"] == {}

    def test_an_expected_answer_names_who_judges_by_it(self, as_user: AsUser) -> None:
        client = as_user("operator")
        for asked, verifier in (
            ({"reference": "1,024"}, "numeric"),
            ({"reference": "Paris"}, "exact"),
            ({"reference": "x^2", "verifier": "latex"}, "latex"),
        ):
            run = client.post("/api/runs", {**BODY, **asked}).json()
            spec = run_spec(Run.objects.get(id=run["id"]))
            assert (spec.task.reference, spec.task.verifier) == (asked["reference"], verifier)

    def test_a_run_is_judged_as_another_was(self, as_user: AsUser, make_run: MakeRun) -> None:
        first = make_run()
        details = {"verifier": "unit_tests", "answer_form": "code", "metadata": {"tests": "f()"}}
        Run.objects.filter(id=first.id).update(reference="f", task_details=details)
        client = as_user("operator")
        run = client.post("/api/runs", {**BODY, "judged_as": first.id}, format="json").json()
        made = Run.objects.get(id=run["id"])
        assert (made.reference, made.task_details) == ("f", details)

    def test_a_run_of_a_dataset_s_task_knows_all_that_the_dataset_knows_of_it(
        self, as_user: AsUser
    ) -> None:
        dataset = Dataset.objects.create(key="sums", name="Sums")
        known = {"task_graph": {"subtasks": [{"id": "p1", "text": "1+1?", "reference": "2"}]}}
        task = Task.objects.create(
            dataset=dataset, split="dev", index=0, query="1+1?", reference="2", metadata=known
        )
        client = as_user("operator")
        run = client.post("/api/runs", {**BODY, "query": "1+1?", "task": task.pk}).json()
        assert run_spec(Run.objects.get(id=run["id"])).task == task.spec()
        refused = client.post("/api/runs", {**BODY, "query": "1+2?", "task": task.pk})
        (error,) = refused.json()["error"]["fields"]
        assert (error["field"], error["code"]) == ("task", "other_query")

    def test_the_same_key_gives_the_same_run(self, as_user: AsUser) -> None:
        client = as_user("operator")
        headers = {"Idempotency-Key": "k-1"}
        first = client.post("/api/runs", BODY, headers=headers)
        again = client.post("/api/runs", BODY, headers=headers)
        other = client.post("/api/runs", {**BODY, "query": "2?"}, headers=headers)
        assert [r.status_code for r in (first, again, other)] == [201, 200, 409]
        assert first.json()["id"] == again.json()["id"]
        assert other.json()["error"]["code"] == "idempotency_conflict"

    def test_bad_bodies_name_the_field(self, as_user: AsUser) -> None:
        client = as_user("operator")
        bad: list[tuple[Any, str]] = [
            ({}, "query"),
            ({"query": "x"}, "pool"),  # the default method needs one
            ({**BODY, "verifier": "exact"}, "verifier"),
            ({**BODY, "verifier": "exact", "reference": " "}, "verifier"),
            ({**BODY, "verifier": "unit_tests", "reference": "x"}, "verifier"),
            ({**BODY, "judged_as": str(uuid4())}, "judged_as"),
            ({**BODY, "task": 999_999}, "task"),
            ({**BODY, "task": 0}, "task"),
            ({**BODY, "task": 999_999, "reference": "4"}, "task"),
            ({**BODY, "query": None}, "query"),
            ({**BODY, "query": ["x"]}, "query"),
            ({**BODY, "query": "a\x00b"}, "query"),
            ({**BODY, "method": "m" * 1_000}, "method"),
            ({**BODY, "endpoint": "\x00"}, "endpoint"),
            ({**BODY, "seed": -1}, "seed"),
            ({**BODY, "seed": 2**31}, "seed"),
            ({**BODY, "seed": "many"}, "seed"),
            ({**BODY, "budget": {"max_tokens": 0}}, "budget.max_tokens"),
            ({**BODY, "budget": {"max_seconds": 1e300}}, "budget.max_seconds"),
            ({**BODY, "budget": {"max_cost": 2e19}}, "budget.max_cost"),
            ({**BODY, "budget": []}, "budget"),
            ({**BODY, "method_config": []}, "method_config"),
            ({**BODY, "checkpoint": "../secret"}, "checkpoint"),
            ([], ""),
            ("text", ""),
            (7, ""),
        ]
        for body, field in bad:
            answer = client.post("/api/runs", body)
            assert answer.status_code == 400, body
            error = answer.json()["error"]
            assert field in {item["field"] for item in error["fields"]}, body
            assert error["message"]
            assert error["remedy"]
        assert not Run.objects.exists()

    def test_bodies_that_are_no_json(self, as_user: AsUser) -> None:
        client, json = as_user("operator"), "application/json"
        for body, content_type, status in (
            (b"{", json, 400),
            (b'{"seed": 1%b}' % (b"0" * 400), json, 400),
            (b'{"query": "' + b"x" * 5_000_000 + b'"}', json, 413),
            (b"query=x&method=direct", "application/x-www-form-urlencoded", 415),
            (b"\x89PNG\r\n", "application/octet-stream", 415),
        ):
            sent: Any = body  # bytes are what a client sends
            answer = client.generic("POST", "/api/runs", sent, content_type=content_type)
            assert answer.status_code == status, body[:60]
            assert answer.json()["error"]["remedy"]


class TestList:
    def test_newest_first_with_long_texts_cut(self, as_user: AsUser, make_run: MakeRun) -> None:
        old, new = make_run(query="x" * 500), make_run()
        results = as_user("viewer").get("/api/runs").json()["results"]
        assert [run["id"] for run in results] == [str(new.id), str(old.id)]
        assert results[1]["query"] == "x" * 300
        assert set(results[0]) == FIELDS

    def test_pages_cover_all_runs_once(self, as_user: AsUser, make_run: MakeRun) -> None:
        runs = [str(make_run().id) for _ in range(7)]
        client, seen = as_user("viewer"), []
        address: str | None = "/api/runs?page_size=3"
        while address:
            page = client.get(address).json()
            seen += [run["id"] for run in page["results"]]
            address = page["next"]
        assert seen == runs[::-1]

    def test_filters(
        self, as_user: AsUser, cast: dict[str, User], pool: RolePool, make_run: MakeRun
    ) -> None:
        plain = make_run(query="How many apples?")
        built = make_run("curator", method="mashost", query="Prove the theorem")
        run_claim(run_id=built.id, worker="w")

        def found(query: str) -> set[str]:
            answer = as_user("operator").get(f"/api/runs?{query}")
            assert answer.status_code == 200, query
            return {run["id"] for run in answer.json()["results"]}

        a, b = str(plain.id), str(built.id)
        Run.objects.filter(id=plain.id).update(correct=True, reward=1.0, cost=0.02)
        Run.objects.filter(id=built.id).update(checkpoint="taught-2")
        later = (timezone.now() + timedelta(hours=1)).isoformat().replace("+00:00", "Z")
        expected = {
            "status=queued": {a},
            "status=queued&status=running": {a, b},
            "method=mashost": {b},
            "endpoint=stub": {a, b},
            "endpoint=other": set(),
            "pool=small": {b},
            "correct=true": {a},
            "correct=false": set(),
            "checkpoint=taught-2": {b},
            "checkpoint=taught": set(),
            "min_cost=0.02": {a},
            "min_cost=0.021": set(),
            "max_cost=0.02": {a},
            "max_cost=0.01": set(),
            "mine=true": {a},
            "mine=false": {a, b},
            "q=appl": {a},
            "q=many+appl": {a},
            "q=appl+theorem": set(),
            "q=THEO": {b},
            "q=%3F%21": set(),
            "q=it's+%27%3A*+%26+%7C": set(),
            f"created_after={later}": set(),
            f"created_before={later}": {a, b},
        }
        assert {query: found(query) for query in expected} == expected

    def test_runs_of_the_same_question(self, as_user: AsUser, make_run: MakeRun) -> None:
        first, other = make_run(query="How many apples?"), make_run(query="How many?")
        again = make_run("curator", query="How many apples?")

        def found(run_id: object) -> list[str]:
            answer = as_user("viewer").get(f"/api/runs?same_query={run_id}")
            return [run["id"] for run in answer.json()["results"]]

        assert found(first.id) == [str(again.id)]
        assert found(other.id) == []
        assert found(uuid4()) == []

    def test_bad_queries_are_the_clients_fault_but_some_are_forgiven(self, as_user: AsUser) -> None:
        client = as_user("viewer")
        for query in (
            *("status=nope", "method=%00", "q=%00", "q=" + "x" * 600),
            *("created_after=yesterday", "created_after=99999-01-01"),
            *("cursor=garbage", "cursor=cD1ub3RhZGF0ZQ%3D%3D", "cursor=cD05OTk5OS0wMS0wMQ%3D%3D"),
        ):
            answer = client.get(f"/api/runs?{query}")
            assert answer.status_code in (400, 404), query
            assert answer.json()["error"]["code"]
        for query in ("cursor=%00", "page_size=0", "page_size=x", "page_size=99999", "mine=x"):
            assert client.get(f"/api/runs?{query}").status_code == 200, query

    def test_one_statement_however_many_runs(
        self,
        as_user: AsUser,
        pool: RolePool,
        make_run: MakeRun,
        django_assert_max_num_queries: DjangoAssertNumQueries,
    ) -> None:
        for _ in range(5):
            make_run(method="mashost")
        client = as_user("viewer")
        client.get("/api/runs")
        with django_assert_max_num_queries(4):  # session, user, groups, runs
            client.get("/api/runs")


class TestOneRun:
    def test_unknown_runs_are_404(self, as_user: AsUser) -> None:
        client = as_user("admin")
        for run_id in ("nonsense", str(uuid4()), "%00", "1" * 500):
            for path in ("", "/events"):
                assert client.get(f"/api/runs/{run_id}{path}").status_code == 404, run_id
            for path in ("/cancel", "/retry"):
                assert client.post(f"/api/runs/{run_id}{path}").status_code == 404, run_id

    def test_cancel_then_retry(self, as_user: AsUser, make_run: MakeRun) -> None:
        run = make_run(seed=3)
        client = as_user("operator")
        assert client.post(f"/api/runs/{run.id}/cancel").json()["status"] == "cancelled"
        again = client.post(f"/api/runs/{run.id}/cancel")
        assert (again.status_code, again.json()["error"]["code"]) == (409, "run_ended")
        assert run.events.count() == 1
        retried = client.post(f"/api/runs/{run.id}/retry", headers={"Idempotency-Key": "r"})
        assert retried.status_code == 201
        assert (retried.json()["retry_of"], retried.json()["seed"]) == (str(run.id), 3)
        once_more = client.post(f"/api/runs/{run.id}/retry", headers={"Idempotency-Key": "r"})
        assert (once_more.status_code, once_more.json()["id"]) == (200, retried.json()["id"])


class TestEvents:
    def test_pages(self, as_user: AsUser, make_run: MakeRun) -> None:
        run = make_run()
        add_events(run, 3)
        add_events(run, 2, attempt=2)
        client, address = as_user("viewer"), f"/api/runs/{run.id}/events"
        first = client.get(f"{address}?page_size=3").json()
        assert [item["id"] for item in first["results"]] == ["1.1", "1.2", "1.3"]
        assert first["results"][0]["event"]["answer"] == "ä"
        assert (first["next_after"], first["ended"]) == ("1.3", False)
        second = client.get(f"{address}?page_size=3&after=1.3").json()
        assert [(e["attempt"], e["seq"]) for e in second["results"]] == [(2, 1), (2, 2)]
        last = client.get(f"{address}?after=2.2").json()
        assert last == {"results": [], "next_after": None, "ended": False}

    def test_ended_means_that_nothing_more_comes(self, as_user: AsUser, make_run: MakeRun) -> None:
        run = make_run()
        add_events(run, 2)
        Run.objects.update(status="succeeded", finished_at=timezone.now())
        client, address = as_user("viewer"), f"/api/runs/{run.id}/events"
        assert client.get(f"{address}?page_size=1").json()["ended"] is False
        assert client.get(f"{address}?page_size=2").json()["ended"] is True
        assert client.get(f"{address}?after=1.2").json()["ended"] is True

    def test_bad_places_are_400(self, as_user: AsUser, make_run: MakeRun) -> None:
        client, address = as_user("viewer"), f"/api/runs/{make_run().id}/events"
        for query in (
            *("after=1", "after=a.b", "after=1.2.3", "after=-1.2", "after=1.", "after=%00"),
            *("after=99999.1", "after=1.99999999999", "after=٣.٤", "after="),
            *("page_size=0", "page_size=-1", "page_size=5001", "page_size=x", "page_size=٣"),
        ):
            assert client.get(f"{address}?{query}").status_code == 400, query

    def test_bad_sets_of_runs(self, as_user: AsUser) -> None:
        client, stream = as_user("viewer"), {"Accept": "text/event-stream"}
        many = ",".join(str(uuid4()) for _ in range(101))
        for query in ("", "runs=", "runs=x", "runs=%00", f"runs={many}"):
            answer = client.get(f"/api/events?{query}", headers=stream)
            assert answer.status_code == 400, query
            assert answer.json()["error"]["remedy"]
        assert client.get(f"/api/events?runs={uuid4()}", headers=stream).status_code == 404

    def test_what_is_neither_json_nor_a_stream_is_not_acceptable(
        self, as_user: AsUser, make_run: MakeRun
    ) -> None:
        answer = as_user("viewer").get(
            f"/api/runs/{make_run().id}/events", headers={"Accept": "image/png"}
        )
        assert answer.status_code == 406


def test_methods_carry_their_configs_schema(as_user: AsUser) -> None:
    methods = {m["key"]: m for m in as_user("viewer").get("/api/methods").json()}
    assert {"direct", "chain_of_thought", "self_consistency", "mashost"} <= set(methods)
    assert methods["mashost"]["needs_pool"] is True
    assert [key for key in methods if methods[key]["needs_design"]] == ["design"]
    own = {key: found["own_endpoint"] for key, found in methods.items() if found["own_endpoint"]}
    assert own == {"at_grpo": "studio-models", "metaagent_x": "studio-models"}
    assert not any(method["has_default_checkpoint"] for method in methods.values())
    assert methods["self_consistency"]["config_schema"]["properties"]["k"]["type"] == "integer"


def test_the_schema_names_the_types_that_browsers_use(as_user: AsUser) -> None:
    answer = as_user("viewer").get("/api/schema?format=json")
    schema = orjson.loads(answer.content)["components"]["schemas"]
    assert {"Run", "RunSummary", "RunRequest", "Failure", "Usage", "Budget", "Method"} <= set(
        schema
    )
    assert "BudgetRequest" in schema
    assert schema["Run"]["properties"]["status"]["$ref"].endswith("/RunStatus")
    ends = ["succeeded", "failed", "cancelled"]
    assert schema["RunStatus"]["enum"] == ["queued", "running", "waiting", *ends]
    assert set(schema["Run"]["required"]) == WHOLE
    assert schema["RunRequest"]["required"] == ["query"]
    assert "required" not in schema["BudgetRequest"]
