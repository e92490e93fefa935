"""Trainings and evaluations on the event stream: each step once, each change told, then the end."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any
from uuid import uuid4

import orjson
import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.http import StreamingHttpResponse
from django.test import AsyncClient
from django.utils import timezone

from apps.accounts.access import Access
from apps.accounts.models import User
from apps.common.renderers import encoded
from apps.evaluations.models import Evaluation
from apps.evaluations.selectors import evaluation_row
from apps.live import job_view as watchers
from apps.live import poller as board_module
from apps.live import subscription as hub_module
from apps.live.job_rows import watched_progress
from apps.live.poller import current_board
from apps.live.stream import Wanted, event_stream, open_streams
from apps.runs.models import Run
from apps.runs.tests.test_stream import USER, Reader, whole
from apps.training.api.serializers import TrainingSerializer
from apps.training.models import Metric, TrainingJob
from apps.training.selectors import job_row

pytestmark = pytest.mark.django_db(transaction=True)

Opener = Callable[..., Reader]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board_module, "POLL_SECONDS", 0.05)


@pytest.fixture
def job(db: None) -> TrainingJob:
    return TrainingJob.objects.create(name="j", method="learner", status="running", total_steps=9)


@pytest.fixture
def evaluation(db: None) -> Evaluation:
    return Evaluation.objects.create(name="e", status="running", total=4)


async def in_database(change: Callable[[], Any]) -> Any:
    def doing() -> Any:
        try:
            return change()
        finally:
            connection.close()

    return await sync_to_async(doing, thread_sensitive=False)()


async def tell_steps(job: TrainingJob, *steps: int) -> None:
    def store() -> None:
        for step in steps:
            Metric.objects.create(job=job, step=step, values={"reward": float(step)})
            TrainingJob.objects.filter(id=job.id).update(step=step)

    await in_database(store)


async def change(model: type[Any], **values: Any) -> None:
    await in_database(lambda: model.objects.update(**values))


@pytest.fixture
async def read() -> AsyncIterator[Opener]:
    """Opens streams and closes them at the end."""
    opened: list[Any] = []

    def opener(*things: Any, after: int | None = None) -> Reader:
        wanted = Wanted(
            runs={str(thing.id): None for thing in things if isinstance(thing, Run)},
            jobs={str(thing.id): after for thing in things if isinstance(thing, TrainingJob)},
            evaluations=[str(thing.id) for thing in things if isinstance(thing, Evaluation)],
        )
        stream = event_stream(Access(USER), wanted, with_ids=False)
        opened.append(stream)
        return Reader(stream)

    yield opener
    for stream in opened:
        await stream.aclose()
    assert USER not in open_streams
    assert current_board()._task is None
    assert not current_board()._topics


async def told(reader: Reader, count: int) -> list[Any]:
    """`3` for a step's metric, (`job`, status), (`evaluation`, done)."""
    frames = [await reader.next() for _ in range(count)]
    return [
        data["step"] if name == "metric" else (name, data["status" if name == "job" else "done"])
        for name, _, data in frames
    ]


class TestTraining:
    async def test_metrics_then_the_job_then_what_happens(
        self, job: TrainingJob, read: Opener
    ) -> None:
        await tell_steps(job, 1, 2)
        reader = read(job)
        name, _, data = await reader.next()
        assert name == "metric"
        assert set(data) == {"job", "step", "at", "values"}
        assert (data["job"], data["values"]) == (str(job.id), {"reward": 1.0})
        assert await told(reader, 2) == [2, ("job", "running")]
        await tell_steps(job, 3)
        assert await told(reader, 2) == [3, ("job", "running")]
        assert await reader.silent()

    async def test_it_resumes_after_a_step_and_ends_with_the_row_of_the_api(
        self, job: TrainingJob, read: Opener
    ) -> None:
        await tell_steps(job, 1, 2, 3)
        assert await told(read(job, after=2), 2) == [3, ("job", "running")]
        reader = read(job, after=3)
        _, _, data = await reader.next()
        row = await in_database(lambda: TrainingSerializer(job_row(job.id)).data)
        assert data == orjson.loads(encoded(row))
        await tell_steps(job, 4)
        assert await told(reader, 2) == [4, ("job", "running")]

    async def test_the_end_comes_after_every_step_and_last(
        self, job: TrainingJob, read: Opener
    ) -> None:
        reader = read(job)
        assert await told(reader, 1) == [("job", "running")]
        await tell_steps(job, 1, 2)
        await change(TrainingJob, status="succeeded", finished_at=timezone.now())
        frames: list[Any] = []
        while frames[-1:] != [("job", "succeeded")]:
            frames += await told(reader, 1)
        # A poll between the steps tells that the job still runs.
        assert [frame for frame in frames if frame != ("job", "running")][:-1] == [1, 2]
        with pytest.raises(StopAsyncIteration):
            await reader.next()
        assert await told(read(job, after=1), 2) == [2, ("job", "succeeded")]

    async def test_a_pause_is_told_and_not_the_end(self, job: TrainingJob, read: Opener) -> None:
        reader = read(job)
        await reader.next()
        for status in ("pausing", "paused", "queued"):
            await change(TrainingJob, status=status)
            assert await told(reader, 1) == [("job", status)]

    async def test_what_is_spent_is_news_and_a_sign_of_life_alone_is_not(
        self, job: TrainingJob, read: Opener
    ) -> None:
        reader = read(job)
        await reader.next()
        await change(TrainingJob, heartbeat_at=timezone.now())
        await asyncio.sleep(0.2)  # the next frame would be this change's, if it were told
        for column in ("tokens", "cost", "charged_tokens", "charged_cost"):
            await change(TrainingJob, **{column: 500})
            assert (await reader.next())[2][column] == 500

    async def test_many_steps_at_once_come_page_by_page(
        self, job: TrainingJob, read: Opener, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(board_module, "PAGE_STEPS", 2)
        monkeypatch.setattr(watchers, "PAGE_STEPS", 2)
        await tell_steps(job, *range(1, 6))
        reader = read(job)
        assert await told(reader, 6) == [1, 2, 3, 4, 5, ("job", "running")]
        await asyncio.sleep(0.2)  # the board has looked once
        await tell_steps(job, *range(6, 12))
        steps: list[int] = []
        while len(steps) < 6:
            steps += [one for one in await told(reader, 1) if isinstance(one, int)]
        assert steps == list(range(6, 12))

    async def test_one_that_is_deleted_meanwhile_is_no_error(
        self, job: TrainingJob, read: Opener
    ) -> None:
        await in_database(lambda: TrainingJob.objects.all().delete())
        with pytest.raises(StopAsyncIteration):
            await read(job).next()


class TestEvaluation:
    async def test_each_answer_and_the_end(self, evaluation: Evaluation, read: Opener) -> None:
        reader = read(evaluation)
        name, _, data = await reader.next()
        assert (name, data["id"], data["done"]) == ("evaluation", str(evaluation.id), 0)
        row = await in_database(lambda: evaluation_row(evaluation.id))
        assert set(data) == set(row)
        await change(Evaluation, done=1)
        assert await told(reader, 1) == [("evaluation", 1)]
        await asyncio.sleep(0.2)
        await change(Evaluation, done=4, status="succeeded", finished_at=timezone.now())
        assert await told(reader, 1) == [("evaluation", 4)]
        with pytest.raises(StopAsyncIteration):
            await reader.next()


class TestTogether:
    async def test_everything_on_one_stream(
        self, job: TrainingJob, evaluation: Evaluation, make_run: Callable[..., Run], read: Opener
    ) -> None:
        run = await sync_to_async(make_run, thread_sensitive=False)()
        reader = read(run, job, evaluation)
        names = {(await reader.next())[0] for _ in range(3)}
        assert names == {"snapshot", "job", "evaluation"}
        await change(Evaluation, done=1)
        assert await told(reader, 1) == [("evaluation", 1)]

    async def test_one_poll_for_any_number_of_browsers(
        self,
        job: TrainingJob,
        evaluation: Evaluation,
        read: Opener,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(board_module, "POLL_SECONDS", 0.2)
        statements: list[str] = []
        readers = [read(job, evaluation) for _ in range(10)]
        for reader in readers:
            assert len([await reader.next() for _ in range(2)]) == 2
        await asyncio.sleep(0.3)

        def counting(execute: Any, sql: str, *rest: Any) -> Any:
            statements.append(sql)
            return execute(sql, *rest)

        asked = watched_progress

        def watched(*ids: Any) -> Any:
            with connection.execute_wrapper(counting):
                return asked(*ids)

        monkeypatch.setattr(board_module, "watched_progress", watched)
        await asyncio.sleep(1.1)
        assert 4 <= len(statements) <= 6
        await tell_steps(job, 1)
        for reader in readers:
            assert await told(reader, 2) == [1, ("job", "running")]

    async def test_the_share_of_a_long_step_is_told(self, job: TrainingJob, read: Opener) -> None:
        reader = read(job)
        await reader.next()
        await change(TrainingJob, step_share=0.25)
        _, _, told_share = await reader.next()
        assert told_share["step_share"] == 0.25
        await change(TrainingJob, step_share=0.2501)
        await change(TrainingJob, step_share=0.75)
        _, _, told_share = await reader.next()
        assert told_share["step_share"] == 0.75

    async def test_a_browser_too_slow_misses_no_step(
        self, job: TrainingJob, read: Opener, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(hub_module, "QUEUE_FRAMES", 3)
        reader = read(job)
        await reader.next()
        for step in range(1, 8):
            await tell_steps(job, step)
            await asyncio.sleep(0.1)
        steps: list[int] = []
        while len(steps) < 7:
            steps += [one for one in await told(reader, 1) if isinstance(one, int)]
        assert steps == list(range(1, 8))


class TestOverHttp:
    async def get(self, user: User, query: str) -> Any:
        client = AsyncClient()
        await client.aforce_login(user)
        headers = {"accept": "text/event-stream"}
        return await client.get(f"/api/events?{query}", headers=headers)

    async def test_it_resumes_and_closes_when_all_have_ended(
        self, cast: dict[str, User], job: TrainingJob, evaluation: Evaluation
    ) -> None:
        await tell_steps(job, 1, 2, 3)
        await change(TrainingJob, status="succeeded", finished_at=timezone.now())
        await change(Evaluation, status="cancelled", finished_at=timezone.now())
        query = f"jobs={job.id}&evaluations={evaluation.id}&after={job.id}:2"
        response = await self.get(cast["viewer"], query)
        assert isinstance(response, StreamingHttpResponse)
        frames = [(name, data.get("step")) for name, _, data in await whole(response)]
        assert frames == [("metric", 3), ("job", 3), ("evaluation", None)]

        refused = await self.get(cast["outsider"], query)
        assert refused.status_code == 403

    async def test_what_is_wrong_is_named(self, cast: dict[str, User], job: TrainingJob) -> None:
        for query, status, field in (
            ("", 400, "runs"),
            ("jobs=x", 400, "jobs"),
            ("evaluations=x", 400, "evaluations"),
            (f"jobs={uuid4()}", 404, "jobs"),
            (f"evaluations={uuid4()}", 404, "evaluations"),
            (f"jobs={','.join(str(uuid4()) for _ in range(101))}", 400, "runs"),
            (f"jobs={job.id}&after={job.id}:x", 400, "after"),
            (f"jobs={job.id}&after={job.id}:-1", 400, "after"),
            (f"jobs={job.id}&after=3", 400, "after"),
        ):
            response = await self.get(cast["viewer"], query)
            assert response.status_code == status, query
            assert response.json()["error"]["fields"][0]["field"] == field, query
