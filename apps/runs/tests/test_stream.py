"""The event stream: nothing lost, nothing twice, in order, and nothing left behind."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from itertools import count
from typing import Any
from uuid import UUID, uuid4

import orjson
import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import OperationalError, connection
from django.http import StreamingHttpResponse
from django.test import AsyncClient
from django.utils import timezone
from pytest_django import Settings
from redis import Redis

from apps.accounts.access import Access
from apps.accounts.models import User
from apps.live import stream as stream_module
from apps.live import subscription as hub_module
from apps.live.stream import Wanted, event_stream, open_streams
from apps.live.subscription import QUEUE_FRAMES, current_hub
from apps.runs.feed import (
    LIVE_STREAM,
    DeltaEntry,
    StatusEntry,
    TraceEntry,
    deltas_stream,
    fields_of,
    trace_entry,
)
from apps.runs.models import Run, RunEvent
from apps.runs.selectors import Position
from apps.runs.tests.traces import tell

pytestmark = pytest.mark.django_db(transaction=True)

MakeRun = Callable[..., Run]
Frame = tuple[str, str, dict[str, Any]]
USER = uuid4()


@pytest.fixture
def redis() -> Redis:
    redis = Redis.from_url(settings.REDIS_URL)
    redis.delete(LIVE_STREAM)
    return redis


@pytest.fixture
def running(make_run: MakeRun) -> Run:
    run = make_run()
    Run.objects.filter(id=run.id).update(status="running", attempt=1, heartbeat_at=timezone.now())
    run.refresh_from_db()
    return run


def event_json(seq: int, kind: str = "intermediate_answer") -> bytes:
    return orjson.dumps({"event": kind, "step": seq, "answer": None, "at": 1.0})


def store(run: Run, *places: tuple[int, int], kind: str = "intermediate_answer") -> None:
    try:
        RunEvent.objects.bulk_create(
            RunEvent(
                run=run,
                attempt=attempt,
                seq=seq,
                kind=kind,
                payload=orjson.loads(event_json(seq, kind)),
                at=timezone.now(),
            )
            for attempt, seq in places
        )
    finally:
        connection.close()


def end(run: Run) -> None:
    try:
        Run.objects.filter(id=run.id).update(status="succeeded", finished_at=timezone.now())
    finally:
        connection.close()


in_thread = sync_to_async(thread_sensitive=False)


def announce(redis: Redis, entry: TraceEntry | DeltaEntry | StatusEntry) -> None:
    redis.xadd(LIVE_STREAM, fields_of([entry]))
    if isinstance(entry, DeltaEntry):
        redis.xadd(deltas_stream(entry.run_id), fields_of([entry]))


def traces(run: Run, *seqs: int, attempt: int = 1, last: str = "intermediate_answer") -> TraceEntry:
    payloads = [event_json(seq) for seq in seqs[:-1]] + [event_json(seqs[-1], last)]
    return trace_entry(str(run.id), attempt, seqs[0], payloads, last)


def delta(run: Run, number: int, text: str, offset: int) -> DeltaEntry:
    body = {"run": str(run.id), "attempt": 1, "agent_id": "a1", "text": text, "offset": offset}
    return DeltaEntry(str(run.id), 1, number, orjson.dumps(body))


class Reader:
    """Takes frames from a stream one by one."""

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks = chunks
        self._waiting: list[Frame] = []

    async def next(self, seconds: float = 5.0) -> Frame:
        while not self._waiting:
            chunk = await asyncio.wait_for(anext(self._chunks), seconds)
            self._waiting = parse(chunk)
        return self._waiting.pop(0)

    async def names(self, count: int) -> list[str]:
        """`trace 1.2`, `delta`, …"""
        frames = [await self.next() for _ in range(count)]
        return [f"trace {data['id']}" if name == "trace" else name for name, _, data in frames]

    async def silent(self, seconds: float = 0.3) -> bool:
        try:
            await self.next(seconds)
        except TimeoutError:
            return True
        return False


def parse(chunk: bytes) -> list[Frame]:
    frames = []
    for block in chunk.decode().split("\n\n"):
        fields = dict(
            line.split(": ", 1) for line in block.splitlines() if not line.startswith(":")
        )
        if "event" in fields:
            frames.append((fields["event"], fields.get("id", ""), orjson.loads(fields["data"])))
    return frames


@pytest.fixture
async def read(redis: Redis) -> AsyncIterator[Callable[..., Reader]]:
    """Opens streams and closes them at the end."""
    opened: list[Any] = []

    def opener(*runs: Run, after: Position | None = None) -> Reader:
        wanted = Wanted(runs={str(run.id): after for run in runs})
        stream = event_stream(Access(USER), wanted, with_ids=len(runs) == 1)
        opened.append(stream)
        return Reader(stream)

    yield opener
    for stream in opened:
        await stream.aclose()
    assert USER not in open_streams
    assert not current_hub()._tasks


async def test_snapshot_then_live_then_end(
    running: Run, redis: Redis, read: Callable[..., Reader]
) -> None:
    await in_thread(store)(running, (1, 1), (1, 2))
    reader = read(running)
    name, identity, snapshot = await reader.next()
    assert (name, identity) == ("snapshot", "1.2")
    assert snapshot["run"] == str(running.id)
    assert snapshot["detail"]["status"] == "running"
    assert [event["id"] for event in snapshot["events"]] == ["1.1", "1.2"]
    assert snapshot["partial"] == {}
    await in_thread(store)(running, (1, 3))
    announce(redis, traces(running, 3))
    name, identity, trace = await reader.next()
    assert (name, identity, trace["id"], trace["seq"]) == ("trace", "1.3", "1.3", 3)
    assert trace["event"]["event"] == "intermediate_answer"
    await in_thread(store)(running, (1, 4), kind="run_finished")
    await in_thread(end)(running)
    announce(redis, traces(running, 4, last="run_finished"))
    assert await reader.names(1) == ["trace 1.4"]
    name, _, data = await reader.next()
    assert (name, data["detail"]["status"]) == ("end", "succeeded")
    with pytest.raises(StopAsyncIteration):
        await reader.next()


async def test_repeated_frames_are_dropped_and_missing_ones_are_read(
    running: Run, redis: Redis, read: Callable[..., Reader]
) -> None:
    await in_thread(store)(running, (1, 1))
    reader = read(running)
    await reader.next()
    announce(redis, traces(running, 1))
    await in_thread(store)(running, (1, 2), (1, 3), (1, 4))
    announce(redis, traces(running, 4))  # Redis lost 2 and 3
    announce(redis, traces(running, 2, 3))  # and brings them late
    assert await reader.names(3) == ["trace 1.2", "trace 1.3", "trace 1.4"]
    await in_thread(store)(running, (1, 5), (1, 6))  # too large for Redis
    announce(redis, TraceEntry(str(running.id), 1, 5, 6, "intermediate_answer", ()))
    assert await reader.names(2) == ["trace 1.5", "trace 1.6"]
    assert await reader.silent()


async def test_a_new_attempt_waits_for_the_end_of_the_old_one(
    running: Run, redis: Redis, read: Callable[..., Reader]
) -> None:
    await in_thread(store)(running, (1, 1))
    reader = read(running)
    await reader.next()
    await in_thread(store)(running, (1, 2), kind="attempt_lost")
    await in_thread(store)(running, (2, 1))
    announce(redis, traces(running, 1, attempt=2))
    assert await reader.names(2) == ["trace 1.2", "trace 2.1"]


async def test_without_redis_everything_comes_by_polling(
    running: Run, read: Callable[..., Reader], monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setattr(hub_module, "POLL_SECONDS", 0.05)
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    reader = read(running)
    assert await reader.names(1) == ["snapshot"]
    await in_thread(store)(running, (1, 1))
    assert await reader.names(1) == ["trace 1.1"]
    await in_thread(store)(running, (1, 2), kind="run_finished")
    await in_thread(end)(running)
    assert await reader.names(2) == ["trace 1.2", "end"]


async def test_a_status_change_is_told_once(
    make_run: MakeRun, redis: Redis, monkeypatch: pytest.MonkeyPatch, read: Callable[..., Reader]
) -> None:
    monkeypatch.setattr(hub_module, "POLL_SECONDS", 0.05)
    run = await in_thread(make_run)()
    reader = read(run)
    assert (await reader.next())[2]["detail"]["status"] == "queued"
    await in_thread(lambda: Run.objects.update(status="running", attempt=1))()
    announce(redis, StatusEntry(str(run.id)))
    name, _, data = await reader.next()
    assert (name, data["detail"]["status"]) == ("status", "running")
    assert await reader.silent()


class TestDeltas:
    async def test_they_stream_once(
        self, running: Run, redis: Redis, read: Callable[..., Reader]
    ) -> None:
        reader = read(running)
        await reader.next()
        announce(redis, delta(running, 1, "Hello", 0))
        announce(redis, delta(running, 1, "Hello", 0))
        announce(redis, delta(running, 2, " you", 5))
        frames = [await reader.next() for _ in range(2)]
        told = [(name, data["text"]) for name, _, data in frames]
        assert told == [("delta", "Hello"), ("delta", " you")]
        assert await reader.silent()

    async def test_who_comes_late_gets_the_text_so_far(
        self, running: Run, redis: Redis, read: Callable[..., Reader]
    ) -> None:
        announce(redis, delta(running, 1, "Hello", 0))
        announce(redis, delta(running, 2, " you", 5))
        announce(redis, delta(running, 3, " all", 5))  # the model began anew from there
        reader = read(running)
        assert (await reader.next())[2]["partial"] == {"a1": "Hello all"}
        announce(redis, delta(running, 4, "!", 9))
        assert (await reader.next())[2]["text"] == "!"

    async def test_the_text_of_an_agent_that_has_finished_is_not_partial(
        self, running: Run, redis: Redis, read: Callable[..., Reader]
    ) -> None:
        announce(redis, delta(running, 1, "Hello", 0))

        def finish() -> None:
            tell(running, "agent_finished", agent_id="a1")
            connection.close()

        await in_thread(finish)()
        assert (await read(running).next())[2]["partial"] == {}


class TestResume:
    async def test_only_what_was_missed(
        self, running: Run, redis: Redis, read: Callable[..., Reader]
    ) -> None:
        await in_thread(store)(running, (1, 1), (1, 2), (1, 3))
        announce(redis, delta(running, 1, "Hello", 0))
        reader = read(running, after=Position(1, 1))
        assert await reader.names(2) == ["trace 1.2", "trace 1.3"]
        name, _, data = await reader.next()
        assert (name, data["text"], data["offset"]) == ("delta", "Hello", 0)

    async def test_after_the_end_comes_the_end(
        self, running: Run, read: Callable[..., Reader]
    ) -> None:
        await in_thread(store)(running, (1, 1))
        await in_thread(store)(running, (1, 2), kind="run_finished")
        await in_thread(end)(running)
        assert await read(running, after=Position(1, 2)).names(1) == ["end"]
        assert await read(running, after=Position(1, 1)).names(2) == ["trace 1.2", "end"]
        assert await read(running).names(2) == ["snapshot", "end"]


async def test_more_events_than_a_snapshot_holds_follow_it(
    running: Run, read: Callable[..., Reader], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("apps.live.run_view.PAGE_EVENTS", 2)
    await in_thread(store)(running, *[(1, seq) for seq in range(1, 6)])
    reader = read(running)
    assert [event["id"] for event in (await reader.next())[2]["events"]] == ["1.1", "1.2"]
    assert await reader.names(3) == ["trace 1.3", "trace 1.4", "trace 1.5"]


async def test_a_browser_too_slow_gets_a_fresh_snapshot(
    running: Run, redis: Redis, read: Callable[..., Reader]
) -> None:
    reader = read(running)
    await reader.next()
    places = [(1, seq) for seq in range(1, QUEUE_FRAMES + 501)]
    await in_thread(store)(running, *places)
    for start in range(1, QUEUE_FRAMES + 501, 500):
        announce(redis, traces(running, *range(start, start + 500)))
    await asyncio.sleep(0.5)  # the browser reads nothing meanwhile
    name, _, snapshot = await reader.next()
    assert name == "snapshot"
    assert len(snapshot["events"]) == len(places)


async def test_a_silent_stream_beats(
    running: Run, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_module, "HEARTBEAT_SECONDS", 0.1)
    monkeypatch.setattr(hub_module, "POLL_SECONDS", 0.03)
    async with aclosing(
        event_stream(Access(USER), Wanted({str(running.id): None}), with_ids=True)
    ) as stream:
        chunks = [await asyncio.wait_for(anext(stream), 5) for _ in range(4)]
    assert chunks[2:] == [b": heartbeat\n\n"] * 2


async def test_several_runs_on_one_stream(
    make_run: MakeRun, running: Run, redis: Redis, read: Callable[..., Reader]
) -> None:
    queued = await in_thread(make_run)()
    reader = read(running, queued)
    assert await reader.names(2) == ["snapshot", "snapshot"]
    await in_thread(store)(running, (1, 1))
    announce(redis, traces(running, 1))
    name, identity, data = await reader.next()
    assert (name, identity, data["run"]) == ("trace", "", str(running.id))
    for run in (running, queued):
        await in_thread(end)(run)
        announce(redis, StatusEntry(str(run.id)))
        name, _, data = await reader.next()
        assert (name, data["run"]) == ("end", str(run.id))
    with pytest.raises(StopAsyncIteration):
        await reader.next()


class TestOverHttp:
    async def get(self, user: User, path: str, **headers: str) -> Any:
        client = AsyncClient()
        await client.aforce_login(user)
        return await client.get(path, headers={"accept": "text/event-stream", **headers})

    async def test_headers_and_resume(self, cast: dict[str, User], running: Run) -> None:
        await in_thread(store)(running, (1, 1))
        await in_thread(store)(running, (1, 2), kind="run_finished")
        await in_thread(end)(running)
        path = f"/api/runs/{running.id}/events"
        response = await self.get(cast["viewer"], path, **{"last-event-id": "1.1"})
        assert isinstance(response, StreamingHttpResponse)
        assert response["Content-Type"] == "text/event-stream"
        assert response["Cache-Control"] == "no-cache, no-transform"
        assert response["X-Accel-Buffering"] == "no"
        assert [name for name, _, _ in await whole(response)] == ["trace", "end"]
        strange = await self.get(cast["viewer"], path, **{"last-event-id": "what\x00?"})
        assert [name for name, _, _ in await whole(strange)] == ["snapshot", "end"]
        refused = await self.get(cast["outsider"], path)
        assert (refused.status_code, refused["Content-Type"]) == (403, "application/json")

    @pytest.mark.parametrize("busy", [False, True])
    async def test_a_logout_ends_it(
        self,
        cast: dict[str, User],
        running: Run,
        redis: Redis,
        monkeypatch: pytest.MonkeyPatch,
        busy: bool,
    ) -> None:
        monkeypatch.setattr(stream_module, "ACCESS_SECONDS", 0.05)
        monkeypatch.setattr(stream_module, "HEARTBEAT_SECONDS", 30.0 if busy else 0.05)
        client = AsyncClient()
        await client.aforce_login(cast["viewer"])
        path = f"/api/runs/{running.id}/events"
        response: Any = await client.get(path, headers={"accept": "text/event-stream"})
        chunks = response.streaming_content
        async with aclosing(chunks), asyncio.timeout(30), asyncio.TaskGroup() as meanwhile:
            talking = meanwhile.create_task(talk(redis, running)) if busy else None
            for _ in range(5):  # it has asked by now, and was let in
                await anext(chunks)
            await client.alogout()
            async for _ in chunks:
                pass
            if talking:
                talking.cancel()
        again = await client.get(path, headers={"accept": "text/event-stream"})
        assert again.status_code == 401

    async def test_a_database_that_is_away_ends_nothing(
        self, cast: dict[str, User], running: Run, redis: Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def away(access: Access) -> bool:
            raise OperationalError("away")

        monkeypatch.setattr(stream_module, "ACCESS_SECONDS", 0.0)
        monkeypatch.setattr(stream_module, "HEARTBEAT_SECONDS", 0.05)
        monkeypatch.setattr(Access, "holds", away)
        wanted = Wanted({str(running.id): None})
        access = Access(cast["viewer"].pk)
        async with aclosing(event_stream(access, wanted, with_ids=True)) as stream:
            chunks = [await asyncio.wait_for(anext(stream), 5) for _ in range(4)]
        assert chunks[2:] == [b": heartbeat\n\n"] * 2

    async def test_streams_per_user_are_limited(
        self, cast: dict[str, User], running: Run, settings: Settings
    ) -> None:
        settings.STREAMS_PER_USER = 1
        user_id: UUID = cast["viewer"].pk
        path = f"/api/events?runs={running.id}"
        wanted = Wanted({str(running.id): None})
        async with aclosing(event_stream(Access(user_id), wanted, with_ids=True)) as first:
            await anext(first)
            response = await self.get(cast["viewer"], path)
            assert response.status_code == 429
            assert response.json()["error"]["code"] == "too_many_streams"
        await in_thread(end)(running)
        freed = await self.get(cast["viewer"], path)
        assert [name for name, _, _ in await whole(freed)] == ["snapshot", "end"]


async def talk(redis: Redis, run: Run) -> None:
    """An agent that writes without a pause."""
    for number in count(1):
        await in_thread(announce)(redis, delta(run, number, "a", number - 1))
        await asyncio.sleep(0.01)


async def whole(response: StreamingHttpResponse) -> list[Frame]:
    content: Any = response.streaming_content
    return parse(b"".join([chunk async for chunk in content]))
