"""Events to Postgres and Redis: order, fences, hostile text, outages."""

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import orjson
import pytest
from django.db import connection
from redis import Redis

from apps.runs.feed import LIVE_STREAM, DeltaEntry, TraceEntry, deltas_stream, entries_of
from apps.runs.lifecycle import run_claim, runs_recover
from apps.runs.models import Run, RunAgent
from workers.core.errors import Failure
from workers.core.events import (
    AgentDelta,
    AgentFailed,
    AgentFinished,
    AgentStarted,
    AnswerVerified,
    Event,
    GraphPlanned,
    IntermediateAnswer,
    RunFailed,
    RunFinished,
)
from workers.core.specs import AgentNode, Edge, GraphSpec, RoleSpec, Usage
from workers.tasks.journal import Journal
from workers.tasks.publisher import Publisher
from workers.tasks.sink import Sink
from workers.tasks.store import Store

from .conftest import WORKER, in_database, reloaded, soon, stored

pytestmark = pytest.mark.django_db(transaction=True)

ClaimedRun = Callable[..., Run]
USAGE = Usage(prompt_tokens=10, completion_tokens=5, cost=0.5)
ROLE = RoleSpec(key="solver", name="Solver", family="maths", description="Solves.", prompt="Solve.")
GRAPH = GraphSpec(
    nodes=(AgentNode(id="a1", role=ROLE), AgentNode(id="a2", role=ROLE)),
    edges=(Edge(source="a1", target="a2"),),
)


def started(agent_id: str) -> AgentStarted:
    return AgentStarted(
        agent_id=agent_id, role_key="solver", role_name="Solver", family="maths", endpoint="stub"
    )


def finished(agent_id: str, message: str = "Answer: 2") -> AgentFinished:
    return AgentFinished(agent_id=agent_id, message=message, answer="2", usage=USAGE, seconds=1.5)


def run_finished(message: str = "Answer: 2") -> RunFinished:
    return RunFinished(answer="2", message=message, graph=GRAPH, usage=USAGE + USAGE, seconds=3.0)


def journal_of(sink: Sink, run: Run) -> Journal:
    return sink.open(str(run.id), run.attempt, endpoint_key="stub")


async def told(sink: Sink, run: Run, *events: Event) -> None:
    """All of a run's events, and its end is stored."""
    journal = journal_of(sink, run)
    for event in events:
        await sink.append(journal, event)
    assert await asyncio.wait_for(journal.settled, 5)


async def test_events_are_numbered_and_the_end_fills_the_row(
    claimed_run: ClaimedRun, sink: Sink
) -> None:
    run = await in_database(claimed_run)
    planned, answer = GraphPlanned(graph=GRAPH), IntermediateAnswer(step=1, answer="2")
    spoken = (started("a1"), finished("a1"), started("a2"), finished("a2"))
    await told(sink, run, planned, *spoken, answer, run_finished())
    trace = await stored(run)
    assert [event.seq for event in trace] == list(range(1, 8))
    assert [event.kind for event in trace][-2:] == ["intermediate_answer", "run_finished"]
    assert trace[2].payload["message"] == "Answer: 2"
    assert abs(trace[0].at.timestamp() - planned.at) < 1e-3
    row = await reloaded(run)
    assert (row.status, row.answer, row.message) == ("succeeded", "2", "Answer: 2")
    assert (row.prompt_tokens, row.completion_tokens, row.cost, row.seconds) == (20, 10, 1.0, 3.0)
    assert row.finished_at is not None
    assert row.agent_count == 2
    assert row.graph is not None
    assert row.graph["edges"] == [{"source": "a1", "target": "a2"}]
    role = {"role_key": "solver", "role_name": "Solver", "family": "maths"}
    assert row.graph["nodes"][0] == {"id": "a1", **role}


async def test_cut_answers_are_counted_with_whose_they_are(
    claimed_run: ClaimedRun, sink: Sink
) -> None:
    run = await in_database(claimed_run)
    cut = finished("a2").model_copy(update={"truncated": True, "cut_calls": 1})
    answer = IntermediateAnswer(step=1, answer="2", agent_id="a2")
    spoken = (started("a1"), finished("a1"), started("a2"), cut)
    await told(sink, run, *spoken, answer, run_finished())
    row = await reloaded(run)
    assert (row.replies, row.cut_replies, row.cut_agents) == (2, 1, ["a2"])
    assert row.final_cut is True


@pytest.mark.parametrize("correct", [True, False, None])
async def test_the_verdict_is_stored_with_the_end(
    claimed_run: ClaimedRun, sink: Sink, correct: bool | None
) -> None:
    run = await in_database(claimed_run)
    reward = None if correct is None else float(correct)
    judged: list[Event] = []
    if correct is not None:
        said = {"verifier": "numeric", "correct": correct, "explanation": "So."}
        judged.append(AnswerVerified.model_validate({**said, "reward": reward}))
    await told(sink, run, started("a1"), *judged, run_finished())
    row = await reloaded(run)
    assert (row.correct, row.reward) == (correct, reward)


async def test_agents_are_stored_with_the_end(claimed_run: ClaimedRun, sink: Sink) -> None:
    run = await in_database(claimed_run)
    failure = Failure(code="endpoint_down", message="Nobody answers.")
    refusal = finished("a2").model_copy(update={"refused": True, "usage": Usage()})
    broken = AgentFailed(agent_id="a1", failure=failure, usage=USAGE)
    spoken = (started("a1"), broken, started("a2"), refusal, started("a3"))
    team = GRAPH.model_copy(update={"nodes": (*GRAPH.nodes, AgentNode(id="a3", role=ROLE))})
    await told(sink, run, GraphPlanned(graph=team), *spoken, RunFailed(failure=failure))
    agents = {a.agent_id: a for a in await in_database(lambda: list(RunAgent.objects.all()))}
    outcomes = {"a1": "failed", "a2": "refused", "a3": "cancelled"}
    assert {key: a.outcome for key, a in agents.items()} == outcomes
    assert agents["a1"].prompt_tokens == 10
    assert agents["a2"].prompt_tokens is None  # unknown stays unknown
    row = await reloaded(run)
    assert row.failure == failure.model_dump()
    assert (row.status, row.cost, row.agent_count) == ("failed", None, 3)


async def test_a_lost_attempt_writes_nothing_any_more(claimed_run: ClaimedRun, sink: Sink) -> None:
    run = await in_database(claimed_run)
    zombie = journal_of(sink, run)
    await sink.append(zombie, started("a1"))
    await sink.flushed(zombie)
    await in_database(lambda: Run.objects.update(heartbeat_at=None))
    await in_database(runs_recover)
    successor = await in_database(lambda: run_claim(run_id=run.id, worker="other"))
    await sink.append(zombie, finished("a1"))
    await sink.append(zombie, run_finished("from the grave"))
    assert await asyncio.wait_for(zombie.settled, 5) is False
    assert zombie.lost
    assert [(e.attempt, e.kind) for e in await stored(run)] == [
        (1, "agent_started"),
        (1, "attempt_lost"),
    ]
    row = await reloaded(run)
    assert (row.status, row.attempt, row.worker) == ("running", 2, "other")
    assert successor is not None


async def test_a_write_repeated_after_a_lost_answer_changes_nothing(
    claimed_run: ClaimedRun, sink: Sink
) -> None:
    run = await in_database(claimed_run)
    journal = Journal(str(run.id), 1, endpoint_key="stub", pool=None, dirty=lambda _: None)
    journal.append(started("a1"))
    journal.append(run_finished())
    chunk = journal.take()
    assert chunk is not None
    store = Store(WORKER)
    assert await store.write([chunk]) == {journal.key}
    assert await store.write([chunk]) == {journal.key}
    await store.close()
    assert len(await stored(run)) == 2


@pytest.mark.parametrize("message", ["nul \x00 here", "half \ud83d pair", '\\u0000 spelled "out"'])
async def test_hostile_text_is_stored_readably(
    claimed_run: ClaimedRun, sink: Sink, message: str
) -> None:
    run = await in_database(claimed_run)
    await told(sink, run, started("a1"), finished("a1", message), run_finished(message))
    expected = message.replace("\x00", "\ufffd").replace("\ud83d", "\ufffd")
    assert (await stored(run))[1].payload["message"] == expected
    assert (await reloaded(run)).message == expected


async def test_what_postgres_refuses_fails_that_run_alone(
    claimed_run: ClaimedRun, sink: Sink
) -> None:
    good, bad = await in_database(claimed_run), await in_database(claimed_run)
    journals = journal_of(sink, good), journal_of(sink, bad)
    too_long = started("a1").model_copy(update={"role_name": "x" * 500})
    await sink.append(journals[0], started("a1"))
    await sink.append(journals[1], too_long)
    for journal in journals:
        await sink.append(journal, run_finished())
    assert await asyncio.wait_for(journals[0].settled, 5)
    assert await asyncio.wait_for(journals[1].settled, 5) is False
    assert (await reloaded(good)).status == "succeeded"


async def test_an_outage_of_postgres_delays_events_and_loses_none(
    claimed_run: ClaimedRun, sink: Sink
) -> None:
    run = await in_database(claimed_run)
    journal = journal_of(sink, run)
    await sink.append(journal, started("a1"))
    await sink.flushed(journal)

    def cut_the_worker_off() -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE application_name = 'studio-worker' AND datname = current_database()"
            )

    await in_database(cut_the_worker_off)
    for number in range(50):
        await sink.append(journal, finished("a1", f"message {number}"))
    await sink.append(journal, run_finished())
    assert await asyncio.wait_for(journal.settled, 10)
    assert [event.seq for event in await stored(run)] == list(range(1, 53))


class TestRedis:
    async def test_traces_follow_the_commit_in_order(
        self, claimed_run: ClaimedRun, sink: Sink, redis: Redis
    ) -> None:
        redis.delete(LIVE_STREAM)
        run = await in_database(claimed_run)
        await told(sink, run, started("a1"), finished("a1"), run_finished())
        trace = [e for e in await soon(lambda: live(redis)) if isinstance(e, TraceEntry)]
        assert [(e.first_seq, e.last_seq, e.last_kind) for e in trace] == [(1, 3, "run_finished")]
        assert b'"agent_started"' in trace[0].payloads[0]

    async def test_deltas_gather_per_agent_and_are_not_stored(
        self, claimed_run: ClaimedRun, sink: Sink, redis: Redis
    ) -> None:
        redis.delete(LIVE_STREAM)
        run = await in_database(claimed_run)
        journal = journal_of(sink, run)
        await sink.append(journal, started("a1"))
        text = "streamed \x00 text, a few characters at a time"
        pieces = [
            AgentDelta(agent_id="a1", text=text[offset : offset + 4], offset=offset)
            for offset in range(0, len(text), 4)
        ]
        await sink.append(journal, pieces[0])
        await soon(lambda: kept(redis, run))
        for piece in pieces[1:]:
            await sink.append(journal, piece)
        await sink.flushed(journal)
        shown = text.replace("\x00", "\ufffd")
        await soon(lambda: "".join(said(delta) for delta in kept(redis, run)) == shown)
        deltas = kept(redis, run)
        assert 1 < len(deltas) < len(pieces)
        assert [delta.number for delta in deltas] == list(range(1, len(deltas) + 1))
        assert redis.ttl(deltas_stream(str(run.id))) > 3600
        assert [event.kind for event in await stored(run)] == ["agent_started"]

    async def test_an_outage_of_redis_fails_nothing(self, claimed_run: ClaimedRun) -> None:
        sink = Sink(Store(WORKER), Publisher("redis://127.0.0.1:1/0"))
        sink.start()
        run = await in_database(claimed_run)
        await told(sink, run, started("a1"), finished("a1"), run_finished())
        await sink.close()
        assert len(await stored(run)) == 3

    async def test_a_large_event_is_announced_without_its_payload(
        self, claimed_run: ClaimedRun, sink: Sink, redis: Redis
    ) -> None:
        redis.delete(LIVE_STREAM)
        run = await in_database(claimed_run)
        journal = journal_of(sink, run)
        await sink.append(journal, started("a1"))
        await sink.append(journal, finished("a1", "x" * 100_000))
        await sink.flushed(journal)
        entry = (await soon(lambda: live(redis)))[0]
        assert isinstance(entry, TraceEntry)
        assert (entry.payloads, entry.last_seq) == ((), 2)


class TestHeartbeat:
    async def test_it_tells_what_is_ours_and_who_cancelled(self, claimed_run: ClaimedRun) -> None:
        ours, cancelled, other = [await in_database(claimed_run) for _ in range(3)]
        await in_database(lambda: Run.objects.filter(id=other.id).update(worker="other"))
        await in_database(
            lambda: Run.objects.filter(id=cancelled.id).update(
                cancel_requested_at=cancelled.created_at, cancel_requested_by="operator"
            )
        )
        store = Store(WORKER)
        ids = [str(run.id) for run in (ours, cancelled, other)]
        signs = {sign.key: sign.cancel_by for sign in await store.heartbeat([*ids, str(uuid4())])}
        await store.close()
        assert signs == {(ids[0], 1): None, (ids[1], 1): "operator"}
        before = ours.heartbeat_at
        assert before is not None
        assert ((await reloaded(ours)).heartbeat_at or before) > before
        assert (await reloaded(other)).heartbeat_at == other.heartbeat_at

    async def test_it_connects_anew_after_an_outage(self, claimed_run: ClaimedRun) -> None:
        run = await in_database(claimed_run)
        store = Store(WORKER)
        assert await store.heartbeat([str(run.id)])
        await store._heartbeats.close()
        assert await store.heartbeat([str(run.id)])
        await store.close()


def said(delta: DeltaEntry) -> str:
    text = orjson.loads(delta.data)["text"]
    assert isinstance(text, str)
    return text


def live(redis: Redis, stream: str = LIVE_STREAM) -> list[TraceEntry | DeltaEntry]:
    entries: Any = redis.xrange(stream)
    found = [entry for _, fields in entries for entry in entries_of(fields)]
    return [entry for entry in found if isinstance(entry, TraceEntry | DeltaEntry)]


def kept(redis: Redis, run: Run) -> list[DeltaEntry]:
    found = live(redis, deltas_stream(str(run.id)))
    return [entry for entry in found if isinstance(entry, DeltaEntry)]
