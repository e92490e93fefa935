"""Creating, cancelling and retrying runs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from celery import current_app
from kombu.exceptions import OperationalError
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from apps.accounts.models import User
from apps.checkpoints.models import Checkpoint
from apps.checkpoints.registering import checkpoints_register
from apps.checkpoints.services import checkpoint_promote
from apps.common.errors import ApplicationError
from apps.common.tests.at_once import at_once
from apps.llms.models import Endpoint
from apps.roles.models import RolePool
from apps.roles.publishing import pool_publish
from apps.roles.services import pool_create, role_update
from apps.runs.models import Run
from apps.runs.requests import RunRequest
from apps.runs.selectors import run_spec
from apps.runs.services import run_cancel, run_create, run_retry
from workers.core import checkpoints
from workers.core.specs import REPLY_TOKENS, Budget
from workers.core.testing.checkpoints import trained_info
from workers.core.tools.attachments import attached_files

pytestmark = pytest.mark.django_db

MakeRun = Callable[..., Run]


def request(**values: Any) -> RunRequest:
    return RunRequest(**{"query": "1 + 1?", "method": "direct", **values})


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def test_files_are_stored_once_and_named_by_the_run(
    cast: dict[str, User], endpoint: Endpoint, settings: Settings, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    files = ({"name": "a.txt", "text": "42"}, {"name": "b.txt", "content": "NDI="})
    asked = request(files=files, method="evomas")
    run = run_create(user=cast["operator"], request=asked).row
    named = run.task_details["metadata"]["files"]
    assert [file["name"] for file in named] == ["a.txt", "b.txt"]
    stored = {path.name for path in tmp_path.glob("files/[!.]*")}
    assert {file["sha256"] for file in named} == stored
    assert attached_files(run_spec(run).task.metadata)["b.txt"].data(tmp_path / "files") == b"42"
    ended = run_cancel(user=cast["operator"], run_id=run.id, as_admin=False)
    again = run_retry(user=cast["operator"], run=ended).row
    assert again.task_details == run.task_details


def test_a_methods_shorter_replies_stand_in_the_runs_budget(
    cast: dict[str, User], endpoint: Endpoint
) -> None:
    def limit(**asked: Any) -> int:
        run = run_create(user=cast["operator"], request=request(**asked)).row
        tokens: int = run.budget["max_completion_tokens_per_call"]
        return tokens

    endpoint.parameters, endpoint.parameters_from = 135_000_000, "person"
    endpoint.save()
    assert limit(method="evomas") == 512
    assert limit(method="evomas", budget=Budget(max_tokens=9_000)) == 512
    wanted = Budget(max_completion_tokens_per_call=REPLY_TOKENS)
    assert limit(method="evomas", budget=wanted) == REPLY_TOKENS
    assert limit(method="direct") == REPLY_TOKENS
    endpoint.parameters = 7_000_000_000
    endpoint.save()
    assert limit(method="evomas") == REPLY_TOKENS


@pytest.mark.parametrize("file", [{"name": "a.txt"}, {"name": "a.txt", "content": "§"}])
def test_files_that_are_none_are_refused(
    cast: dict[str, User], endpoint: Endpoint, file: dict[str, str]
) -> None:
    with pytest.raises(ApplicationError) as refused:
        run_create(user=cast["operator"], request=request(files=(file,)))
    assert [field.field for field in refused.value.fields] == ["files"]


def test_a_run_stores_all_it_needs_and_is_enqueued_on_commit(
    cast: dict[str, User],
    endpoint: Endpoint,
    pool: RolePool,
    sent: list[str],
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        run = run_create(user=cast["operator"], request=request(method="mashost")).row
        assert sent == []
    assert sent == [str(run.id)]
    assert run.endpoint_spec["base_url"] == endpoint.base_url
    assert run.pool_version is not None
    assert [role["key"] for role in run.pool_version.spec["roles"]] == ["planner", "solver"]
    assert run.method_config  # the defaults are recorded, not left to a later version
    assert 0 <= run.seed < 2**31
    assert run.budget["max_tokens"] > 0


def test_a_pool_that_changes_later_changes_no_run(pool: RolePool, make_run: MakeRun) -> None:
    first = make_run(pool="small")
    role_update(role=pool.roles.get(key="solver"), values={"prompt": "You solve."})
    assert make_run(pool="small").pool_version == first.pool_version
    pool.refresh_from_db()
    pool_publish(pool=pool, by=None)
    later = make_run(pool="small")
    assert first.pool_version is not None
    assert first.pool_version != later.pool_version
    assert first.pool_version.spec["roles"][1]["prompt"] == "You are the solver."


def test_a_checkpoint_brings_the_options_it_was_trained_under(
    make_run: MakeRun, pool: RolePool, settings: Settings, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    options = {"final_answer": "agent", "max_agents": 3, "of_an_older_version": 1}
    info = trained_info("mashost", run=options)
    checkpoints.save(tmp_path / "checkpoints" / "mine", {"value": torch.zeros(1)}, info)
    checkpoints_register()
    asked = {"method": "mashost", "pool": "small", "method_config": {"max_agents": 5}}
    plain, run = make_run(**asked), make_run(checkpoint="mine", **asked)
    assert plain.method_config["final_answer"] == "summary"
    assert run.method_config == {**plain.method_config, "final_answer": "agent"}
    assert run.method_config["max_agents"] == 5
    assert (plain.checkpoint, run.checkpoint) == ("", "mine")
    checkpoint_promote(checkpoint=Checkpoint.objects.get(name="mine"))
    unnamed = make_run(**asked)
    assert (unnamed.checkpoint, unnamed.method_config) == ("mine", run.method_config)


def test_bad_input_is_named_by_field_and_nothing_is_stored(
    cast: dict[str, User], endpoint: Endpoint
) -> None:
    bad: list[tuple[dict[str, Any], str, str | None]] = [
        ({"query": " \n\t "}, "query", "empty"),
        ({"query": "x" * 100_001}, "query", "too_long"),
        ({"query": "a\x00b"}, "query", "not_text"),
        ({"query": "a\x07b"}, "query", "not_text"),
        ({"query": "a\ud800b"}, "query", "not_text"),
        ({"reference": "\x00"}, "reference", "not_text"),
        ({"method": "magic"}, "method", "unknown_method"),
        ({"endpoint": "nowhere"}, "endpoint", "unknown_endpoint"),
        ({"pool": "nobody"}, "pool", "unknown_pool"),
        ({"method": "mashost"}, "pool", "no_default_pool"),
        ({"method": "self_consistency", "method_config": {"k": 0}}, "method_config.k", None),
        ({"checkpoint": "mine"}, "checkpoint", "no_checkpoints"),
        ({"method": "mashost", "checkpoint": "no-such"}, "checkpoint", "unknown_checkpoint"),
        ({"method_config": {"surprise": 1}}, "method_config.surprise", None),
        ({"method_config": {"a": "\x00"}}, "method_config", "not_text"),
        ({"method_config": {"a": {"b": [float("nan")]}}}, "method_config", "not_text"),
        ({"method_config": {"a": nested(40)}}, "method_config", "too_deep"),
        ({"method_config": {"a": "x" * 70_000}}, "method_config", "too_long"),
    ]
    for values, field, code in bad:
        with pytest.raises(ApplicationError) as refused:
            run_create(user=cast["operator"], request=request(**values))
        assert refused.value.status_code == 400
        told = {item.field: item.code for item in refused.value.fields}
        assert field in told, values
        assert code in (None, told[field]), values
    assert not Run.objects.exists()


def test_all_fields_in_error_are_told_at_once(cast: dict[str, User], endpoint: Endpoint) -> None:
    with pytest.raises(ApplicationError) as refused:
        run_create(user=cast["operator"], request=request(query="", method="m", endpoint="e"))
    assert [item.field for item in refused.value.fields] == ["query", "method", "endpoint"]


def test_without_a_default_endpoint_the_way_out_is_named(cast: dict[str, User]) -> None:
    with pytest.raises(ApplicationError) as refused:
        run_create(user=cast["operator"], request=request())
    assert refused.value.code == "no_default_endpoint"


def test_an_endpoint_that_is_off_and_a_pool_that_nobody_published_are_refused(
    cast: dict[str, User], endpoint: Endpoint
) -> None:
    Endpoint.objects.update(enabled=False)
    pool_create(values={"key": "new", "name": "New", "is_default": True})
    with pytest.raises(ApplicationError) as refused:
        run_create(user=cast["operator"], request=request(method="mashost"))
    assert [item.code for item in refused.value.fields] == ["endpoint_disabled", "pool_unpublished"]
    assert "Ask a curator to publish it" in refused.value.fields[1].message


def test_unicode_of_every_kind_is_text(make_run: MakeRun) -> None:
    query = "Was heißt 漢字? 👩‍👩‍👧 \u202eعربى\u200b\n\ttab"
    assert Run.objects.get(id=make_run(query=query).id).query == query


def test_a_query_of_the_greatest_length_with_all_words_different_is_stored(
    make_run: MakeRun,
) -> None:
    words = " ".join(chr(0x4E00 + i // 170) + chr(0x5E00 + i % 170) for i in range(33_000))
    assert Run.objects.get(id=make_run(query=words[:100_000]).id).query == words[:100_000]


def test_a_broker_that_is_down_loses_no_run(
    cast: dict[str, User],
    endpoint: Endpoint,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    def down(*_: object, **__: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(current_app, "send_task", down)
    with django_capture_on_commit_callbacks(execute=True):
        run = run_create(user=cast["operator"], request=request()).row
    assert Run.objects.get(id=run.id).status == "queued"


def test_the_number_of_waiting_runs_per_user_is_limited(
    make_run: MakeRun, settings: Settings
) -> None:
    settings.RUN_MAX_ACTIVE_PER_USER = 2
    make_run()
    first = make_run()
    with pytest.raises(ApplicationError) as refused:
        make_run()
    assert refused.value.status_code == 429
    make_run("curator")
    Run.objects.filter(id=first.id).update(status="cancelled", finished_at=first.created_at)
    make_run()


@pytest.mark.usefixtures("endpoint")
class TestIdempotency:
    def test_keys_belong_to_their_user(self, cast: dict[str, User], sent: list[str]) -> None:
        first = run_create(user=cast["operator"], request=request(), idempotency_key="k")
        other = run_create(user=cast["curator"], request=request(seed=5), idempotency_key="k")
        assert first.row != other.row

    def test_a_key_that_is_none_is_refused(self, cast: dict[str, User]) -> None:
        for key in ("", "x" * 201, "a\nb", "a\x00"):
            with pytest.raises(ApplicationError) as refused:
                run_create(user=cast["operator"], request=request(), idempotency_key=key)
            assert refused.value.code == "bad_idempotency_key"

    @pytest.mark.django_db(transaction=True)
    def test_of_many_at_the_same_moment_one_creates(
        self, cast: dict[str, User], sent: list[str]
    ) -> None:
        def create(_: int) -> tuple[bool, object]:
            creation = run_create(user=cast["operator"], request=request(), idempotency_key="k")
            return creation.created, creation.row.id

        results = at_once(create, 8)
        assert sum(created for created, _ in results) == 1
        assert len({run_id for _, run_id in results}) == 1
        assert Run.objects.count() == 1
        assert len(sent) == 1


class TestCancel:
    def test_a_queued_run_ends_at_once_with_its_terminal_event(
        self, cast: dict[str, User], make_run: MakeRun
    ) -> None:
        run = make_run()
        run_cancel(user=cast["operator"], run_id=run.id, as_admin=False)
        run.refresh_from_db()
        assert run.status == "cancelled"
        event = run.events.get()
        assert (event.attempt, event.seq, event.kind) == (0, 1, "run_cancelled")
        assert event.payload["by"] == "operator"

    def test_a_running_run_is_asked(self, cast: dict[str, User], make_run: MakeRun) -> None:
        run = make_run()
        Run.objects.filter(id=run.id).update(status="running", attempt=1)
        run_cancel(user=cast["operator"], run_id=run.id, as_admin=False)
        run.refresh_from_db()
        assert run.status == "running"
        assert run.cancel_requested_at is not None
        assert run.cancel_requested_by == "operator"


class TestRetry:
    def test_the_same_question_on_the_endpoint_as_it_is_now(
        self, cast: dict[str, User], pool: RolePool, stored: MakeRun
    ) -> None:
        run = stored(method="mashost", seed=7)
        Endpoint.objects.update(base_url="http://127.0.0.1:10/v1")
        role_update(role=pool.roles.get(key="solver"), values={"prompt": "Changed."})
        run = Run.objects.select_related("endpoint").get(id=run.id)
        again = run_retry(user=cast["curator"], run=run).row
        assert again.retry_of == run
        assert again.created_by == cast["curator"]
        assert (again.query, again.seed) == (run.query, 7)
        assert again.pool_version == run.pool_version
        assert again.endpoint_spec["base_url"] == "http://127.0.0.1:10/v1"

    def test_a_run_that_has_not_ended_is_a_conflict(
        self, cast: dict[str, User], make_run: MakeRun
    ) -> None:
        with pytest.raises(ApplicationError) as refused:
            run_retry(user=cast["operator"], run=make_run())
        assert (refused.value.status_code, refused.value.code) == (409, "run_not_ended")

    def test_an_endpoint_that_is_gone_is_a_conflict(
        self, cast: dict[str, User], endpoint: Endpoint, stored: MakeRun
    ) -> None:
        run = stored()
        endpoint.delete()
        run.refresh_from_db()
        with pytest.raises(ApplicationError) as refused:
            run_retry(user=cast["operator"], run=run)
        assert refused.value.code == "endpoint_disabled"
