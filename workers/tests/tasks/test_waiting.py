"""Runs that wait for a person, and forks, from claim to claim on the real engine and Postgres."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from typing import Any

import pytest
from celery import current_app
from django.db.models.functions import Now

from apps.accounts.models import User
from apps.common.errors import ApplicationError
from apps.designs.models import Design
from apps.designs.services import design_create
from apps.llms.models import Endpoint
from apps.runs.control import Continuation, run_continue
from apps.runs.forks import run_fork
from apps.runs.lifecycle import run_claim, runs_recover
from apps.runs.models import Run
from apps.runs.requests import ForkRequest, RunRequest
from apps.runs.selectors import run_spec
from apps.runs.services import run_cancel, run_create, run_retry
from workers.core.testing.stub_llm import RunningStub, running_stub
from workers.core.testing.stub_settings import Rule
from workers.tasks.engine import EngineLoop, Job, Verdict

from .conftest import WORKER, in_database, stored

pytestmark = pytest.mark.django_db(transaction=True)

Drive = Callable[[Run], Any]


@pytest.fixture(scope="module")
def stub() -> Iterator[RunningStub]:
    rules = (
        Rule("You are a.", reply="I am a.\nAnswer: 1"),
        Rule("You are b.", reply="I am b.\nAnswer: 2"),
        Rule("You are c.", reply="I am c.\nAnswer: 3"),
        Rule("You refuse.", reply="REFUSE: no"),
    )
    with running_stub(rules=rules) as server:
        yield server


@pytest.fixture
def operator(transactional_db: None, cast: dict[str, User]) -> User:
    return cast["operator"]


@pytest.fixture
def design(operator: User, stub: RunningStub, monkeypatch: pytest.MonkeyPatch) -> Design:
    """a, and a person p; c reads both, b reads c."""
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
    Endpoint.objects.create(
        key="stub",
        name="Stub",
        base_url=stub.url,
        model="stub",
        is_default=True,
        allow_private_address=True,
    )
    agents = [_agent("a"), _agent("p", tools=["person"]), _agent("c"), _agent("b")]
    edges = [{"source": s, "target": t} for s, t in ("ac", "pc", "cb")]
    draft = {"agents": agents, "edges": edges}
    return design_create(user=operator, name="Asks", draft=draft)


def _agent(name: str, **role: Any) -> dict[str, Any]:
    shown = {"key": name, "name": name.upper(), "prompt": f"You are {name}."}
    return {"id": name, "role": {**shown, **role}}


@pytest.fixture
async def drive(transactional_db: None) -> AsyncIterator[Drive]:
    """Executes the run's next attempt; returns the run as it is then."""
    loop = EngineLoop(WORKER)
    ready = threading.Event()
    turning = asyncio.create_task(loop.run(ready))
    await asyncio.sleep(0)

    async def attempt(run: Run) -> Run:
        claimed = await in_database(lambda: run_claim(run_id=run.id, worker=WORKER))
        spec = await in_database(lambda: run_spec(claimed))
        report = await asyncio.wait_for(loop.execute(Job(str(run.id), claimed.attempt, spec)), 30)
        assert report.verdict is Verdict.ENDED
        driven: Run = await in_database(lambda: Run.objects.get(id=run.id))
        return driven

    yield attempt
    await loop.finish()
    await asyncio.wait_for(turning, 30)


def ask(operator: User, design: Design, **values: Any) -> Run:
    request = RunRequest(query="1 + 1?", method="design", design=design.id, **values)
    return run_create(user=operator, request=request).row


def go_on(operator: User, run: Run, **wanted: Any) -> Run:
    return run_continue(user=operator, run_id=run.id, wanted=Continuation(**wanted), as_admin=False)


async def said(run: Run) -> dict[str, tuple[str, str | None]]:
    """Of the run's last attempt: what each agent said, and where it comes from."""
    return {
        event.payload["agent_id"]: (event.payload["message"], event.payload["given"])
        for event in await stored(run)
        if event.kind == "agent_finished" and event.attempt == run.attempt
    }


async def test_it_waits_for_a_person_and_goes_on(
    operator: User, design: Design, drive: Drive, stub: RunningStub
) -> None:
    stub.clear()
    run = await drive(await in_database(lambda: ask(operator, design, breakpoints=("b",))))
    assert (run.status, run.finished_at, run.attempt) == ("waiting", None, 1)
    assert (run.agent_count, run.answer) == (4, None)
    events = await stored(run)
    assert events[-1].payload["waiting_for"] == ["p"]
    assert await in_database(lambda: runs_recover().requeued) == 0, "nobody takes it for lost"

    await in_database(lambda: go_on(operator, run, messages={"p": "Make it 3."}))
    run = await drive(run)
    assert (run.status, run.attempt) == ("waiting", 2)
    assert (await stored(run))[-1].payload["waiting_for"] == ["b"]
    await in_database(lambda: go_on(operator, run))
    run = await drive(run)
    assert (run.status, run.answer, run.attempt) == ("succeeded", "2", 3)
    assert await said(run) == {
        "a": ("I am a.\nAnswer: 1", None),
        "p": ("Make it 3.", "person"),
        "c": ("I am c.\nAnswer: 3", None),
        "b": ("I am b.\nAnswer: 2", None),
    }
    assert len(stub.log()["requests"]) == 3, "no agent is asked twice"
    assert "Make it 3." in str(stub.log()["requests"][1])
    rows = await in_database(lambda: list(run.agents.values_list("agent_id", "endpoint_key")))
    assert sorted(rows) == [("a", "stub"), ("b", "stub"), ("c", "stub"), ("p", "person")]


async def test_agent_by_agent(operator: User, design: Design, drive: Drive) -> None:
    run = await drive(await in_database(lambda: ask(operator, design, step=True)))
    waits = [(await stored(run))[-1].payload["waiting_for"]]
    await in_database(lambda: go_on(operator, run, mode="say", messages={"p": "Go on."}))
    run = await drive(run)
    waits.append((await stored(run))[-1].payload["waiting_for"])
    for _ in range(2):
        await in_database(partial(go_on, operator, run, mode="step"))
        run = await drive(run)
        waits.append((await stored(run))[-1].payload["waiting_for"])
    assert waits == [["a", "p"], ["a"], ["c"], ["b"]]
    await in_database(lambda: go_on(operator, run, mode="to_end"))
    assert (await drive(run)).status == "succeeded"


async def test_a_fork_keeps_what_nothing_changes_for(
    operator: User, design: Design, drive: Drive, stub: RunningStub
) -> None:
    run = await drive(await in_database(lambda: ask(operator, design)))
    await in_database(lambda: go_on(operator, run, messages={"p": "Make it 3."}))
    run = await drive(run)
    stub.clear()
    other = ForkRequest(messages={"c": "I was c.\nAnswer: 30"}, breakpoints=("b",))
    made = await in_database(
        lambda: run_fork(user=operator, run=Run.objects.get(id=run.id), request=other)
    )
    fork = await drive(made.row)
    assert fork.status == "waiting"
    assert not stub.log()["requests"]
    await in_database(lambda: go_on(operator, fork))
    fork = await drive(fork)
    assert await said(fork) == {
        "a": ("I am a.\nAnswer: 1", "kept"),
        "p": ("Make it 3.", "kept"),
        "c": ("I was c.\nAnswer: 30", "edited"),
        "b": ("I am b.\nAnswer: 2", None),
    }
    assert "I was c." in str(stub.log()["requests"][0])
    assert (fork.fork_of_id, fork.design_id) == (run.id, design.id)
    asked = await in_database(lambda: list(fork.agents.values_list("agent_id", flat=True)))
    assert asked == ["b"], "what another run was told counts there"
    assert fork.prompt_tokens, "what was kept has been paid for"

    again = await in_database(
        lambda: run_retry(user=operator, run=Run.objects.select_related("endpoint").get(id=fork.id))
    )
    assert (await drive(again.row)).status == "waiting", "it stops where the fork did"


async def test_a_waiting_run_is_cancelled_at_once(
    operator: User, design: Design, drive: Drive
) -> None:
    run = await drive(await in_database(lambda: ask(operator, design)))
    await in_database(lambda: run_cancel(user=operator, run_id=run.id, as_admin=False))
    run = await in_database(lambda: Run.objects.get(id=run.id))
    assert run.status == "cancelled"
    last = (await stored(run))[-1].payload
    assert (last["event"], last["usage"]["prompt_tokens"]) == ("run_cancelled", run.prompt_tokens)
    assert run.seconds


async def test_a_cancellation_that_meets_the_pause_is_not_lost(
    operator: User, design: Design, drive: Drive
) -> None:
    run = await drive(await in_database(lambda: ask(operator, design)))
    late = Run.objects.filter(id=run.id)
    await in_database(
        lambda: late.update(cancel_requested_at=Now(), cancel_requested_by="operator")
    )
    assert await in_database(lambda: runs_recover().cancelled) == 1
    assert (await in_database(late.get)).status == "cancelled"


async def test_it_does_not_grow_with_every_step(
    operator: User, design: Design, drive: Drive
) -> None:
    run = await drive(await in_database(lambda: ask(operator, design, step=True)))
    await in_database(lambda: go_on(operator, run, mode="say", messages={"p": "Go on."}))
    for _ in range(3):
        run = await drive(run)
        await in_database(partial(go_on, operator, run, mode="step"))
    run = await drive(run)
    assert (run.status, run.attempt) == ("succeeded", 5)
    assert {event.attempt for event in await stored(run)} == {4, 5}
    again = await in_database(
        lambda: run_retry(user=operator, run=Run.objects.select_related("endpoint").get(id=run.id))
    )
    assert again.row.control["step"], "it began step by step"


async def test_a_person_can_answer_where_those_it_reads_said_nothing(
    operator: User, design: Design, drive: Drive
) -> None:
    agents = [_agent("r", prompt="You refuse."), _agent("p", tools=["person"]), _agent("s")]
    edges = [{"source": s, "target": t} for s, t in ("rp", "rs")]
    draft = {"agents": agents, "edges": edges, "answer_from": "p"}
    other = await in_database(lambda: design_create(user=operator, name="Mute", draft=draft))
    run = await drive(await in_database(lambda: ask(operator, other, breakpoints=("s",))))
    assert (await stored(run))[-1].payload["waiting_for"] == ["p"], "s has nothing to read"
    await in_database(lambda: go_on(operator, run, messages={"p": "Answer: 5"}))
    run = await drive(run)
    assert (run.status, run.answer) == ("succeeded", "5")
    assert run.method_config["answer_from"] == "p"


async def test_a_fork_answers_from_where_the_design_does(
    operator: User, design: Design, drive: Drive
) -> None:
    agents, edges = [_agent("a"), _agent("b")], [{"source": "a", "target": "b"}]
    draft = {"agents": agents, "edges": edges, "summary": True}
    other = await in_database(lambda: design_create(user=operator, name="Sum", draft=draft))
    run = await drive(await in_database(lambda: ask(operator, other, breakpoints=("b",))))
    changed = ForkRequest(messages={"a": "Answer: 4"})
    made = await in_database(
        lambda: run_fork(user=operator, run=Run.objects.get(id=run.id), request=changed)
    )
    assert made.row.method_config == run.method_config


async def test_what_was_switched_off_meanwhile_is_not_asked(
    operator: User, design: Design, drive: Drive
) -> None:
    run = await drive(await in_database(lambda: ask(operator, design)))
    await in_database(lambda: Endpoint.objects.update(enabled=False))
    with pytest.raises(ApplicationError, match="switched off"):
        await in_database(lambda: go_on(operator, run, messages={"p": "Go on."}))
    assert (await in_database(lambda: Run.objects.get(id=run.id))).status == "waiting"
