"""Runs that wait for a person, and forks, from claim to claim on the real engine and Postgres."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
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
from workers.tasks.engine import Job, Verdict

from .conftest import WORKER, default_endpoint, in_database, reloaded, stored, turning

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
    default_endpoint(stub)
    agents = [_agent("a"), _agent("p", tools=["person"]), _agent("c"), _agent("b")]
    return _drawn(operator, agents, "ac", "pc", "cb")


def _drawn(operator: User, agents: list[dict[str, Any]], *edges: str, **more: Any) -> Design:
    drawn = [{"source": edge[0], "target": edge[1]} for edge in edges]
    draft = {"agents": agents, "edges": drawn, **more}
    return design_create(user=operator, name=f"Team {len(agents)}", draft=draft)


def _agent(name: str, **role: Any) -> dict[str, Any]:
    shown = {"key": name, "name": name.upper(), "prompt": f"You are {name}."}
    return {"id": name, "role": {**shown, **role}}


@pytest.fixture
async def drive(transactional_db: None) -> AsyncIterator[Drive]:
    """Executes the run's next attempt; returns the run as it is then."""
    async with turning() as loop:

        async def attempt(run: Run) -> Run:
            claimed = await in_database(lambda: run_claim(run_id=run.id, worker=WORKER))
            spec = await in_database(lambda: run_spec(claimed))
            job = Job(str(run.id), claimed.attempt, spec)
            report = await asyncio.wait_for(loop.execute(job), 30)
            assert report.verdict is Verdict.ENDED
            return await reloaded(run)

        yield attempt


async def ask(operator: User, design: Design, **values: Any) -> Run:
    request = RunRequest(query="1 + 1?", method="design", design=design.id, **values)
    made: Run = await in_database(lambda: run_create(user=operator, request=request).row)
    return made


async def go_on(operator: User, run: Run, **wanted: Any) -> None:
    wish = Continuation(**wanted)
    await in_database(
        lambda: run_continue(user=operator, run_id=run.id, wanted=wish, as_admin=False)
    )


async def fork(operator: User, run: Run, **changed: Any) -> Run:
    request, of = ForkRequest(**changed), await reloaded(run)
    made: Run = await in_database(lambda: run_fork(user=operator, run=of, request=request).row)
    return made


async def retry(operator: User, run: Run) -> Run:
    failed = Run.objects.select_related("endpoint")
    made: Run = await in_database(lambda: run_retry(user=operator, run=failed.get(id=run.id)).row)
    return made


async def waits_for(run: Run) -> Any:
    return (await stored(run))[-1].payload["waiting_for"]


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
    run = await drive(await ask(operator, design, breakpoints=("b",)))
    assert (run.status, run.finished_at, run.attempt) == ("waiting", None, 1)
    assert (run.agent_count, run.answer) == (4, None)
    assert await waits_for(run) == ["p"]
    assert await in_database(lambda: runs_recover().requeued) == 0, "nobody takes it for lost"

    await go_on(operator, run, messages={"p": "Make it 3."})
    run = await drive(run)
    assert (run.status, run.attempt) == ("waiting", 2)
    assert await waits_for(run) == ["b"]
    await go_on(operator, run)
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
    run = await drive(await ask(operator, design, step=True))
    waits = [await waits_for(run)]
    await go_on(operator, run, mode="say", messages={"p": "Go on."})
    run = await drive(run)
    waits.append(await waits_for(run))
    for _ in range(2):
        await go_on(operator, run, mode="step")
        run = await drive(run)
        waits.append(await waits_for(run))
    assert waits == [["a", "p"], ["a"], ["c"], ["b"]]
    await go_on(operator, run, mode="to_end")
    assert (await drive(run)).status == "succeeded"


async def test_a_fork_keeps_what_nothing_changes_for(
    operator: User, design: Design, drive: Drive, stub: RunningStub
) -> None:
    run = await drive(await ask(operator, design))
    await go_on(operator, run, messages={"p": "Make it 3."})
    run = await drive(run)
    stub.clear()
    changed = {"c": "I was c.\nAnswer: 30"}
    forked = await drive(await fork(operator, run, messages=changed, breakpoints=("b",)))
    assert forked.status == "waiting"
    assert not stub.log()["requests"]
    await go_on(operator, forked)
    forked = await drive(forked)
    assert await said(forked) == {
        "a": ("I am a.\nAnswer: 1", "kept"),
        "p": ("Make it 3.", "kept"),
        "c": ("I was c.\nAnswer: 30", "edited"),
        "b": ("I am b.\nAnswer: 2", None),
    }
    assert "I was c." in str(stub.log()["requests"][0])
    assert (forked.fork_of_id, forked.design_id) == (run.id, design.id)
    asked = await in_database(lambda: list(forked.agents.values_list("agent_id", flat=True)))
    assert asked == ["b"], "what another run was told counts there"
    assert forked.prompt_tokens, "what was kept has been paid for"
    again = await drive(await retry(operator, forked))
    assert again.status == "waiting", "it stops where the fork did"


async def test_a_waiting_run_is_cancelled_at_once(
    operator: User, design: Design, drive: Drive
) -> None:
    run = await drive(await ask(operator, design))
    await in_database(lambda: run_cancel(user=operator, run_id=run.id, as_admin=False))
    run = await reloaded(run)
    assert run.status == "cancelled"
    last = (await stored(run))[-1].payload
    assert (last["event"], last["usage"]["prompt_tokens"]) == ("run_cancelled", run.prompt_tokens)
    assert run.seconds


async def test_a_cancellation_that_meets_the_pause_is_not_lost(
    operator: User, design: Design, drive: Drive
) -> None:
    run = await drive(await ask(operator, design))
    late = Run.objects.filter(id=run.id)
    await in_database(
        lambda: late.update(cancel_requested_at=Now(), cancel_requested_by="operator")
    )
    assert await in_database(lambda: runs_recover().cancelled) == 1
    assert (await in_database(late.get)).status == "cancelled"


async def test_it_does_not_grow_with_every_step(
    operator: User, design: Design, drive: Drive
) -> None:
    run = await drive(await ask(operator, design, step=True))
    await go_on(operator, run, mode="say", messages={"p": "Go on."})
    for _ in range(3):
        run = await drive(run)
        await go_on(operator, run, mode="step")
    run = await drive(run)
    assert (run.status, run.attempt) == ("succeeded", 5)
    assert {event.attempt for event in await stored(run)} == {4, 5}
    assert (await retry(operator, run)).control["step"], "it began step by step"


async def test_a_person_can_answer_where_those_it_reads_said_nothing(
    operator: User, design: Design, drive: Drive
) -> None:
    agents = [_agent("r", prompt="You refuse."), _agent("p", tools=["person"]), _agent("s")]
    other = await in_database(lambda: _drawn(operator, agents, "rp", "rs", answer_from="p"))
    run = await drive(await ask(operator, other, breakpoints=("s",)))
    assert await waits_for(run) == ["p"], "s has nothing to read"
    await go_on(operator, run, messages={"p": "Answer: 5"})
    run = await drive(run)
    assert (run.status, run.answer) == ("succeeded", "5")
    assert run.method_config["answer_from"] == "p"


async def test_a_fork_answers_from_where_the_design_does(
    operator: User, design: Design, drive: Drive
) -> None:
    agents = [_agent("a"), _agent("b")]
    other = await in_database(lambda: _drawn(operator, agents, "ab", summary=True))
    run = await drive(await ask(operator, other, breakpoints=("b",)))
    forked = await fork(operator, run, messages={"a": "Answer: 4"})
    assert forked.method_config == run.method_config


async def test_what_was_switched_off_meanwhile_is_not_asked(
    operator: User, design: Design, drive: Drive
) -> None:
    run = await drive(await ask(operator, design))
    await in_database(lambda: Endpoint.objects.update(enabled=False))
    with pytest.raises(ApplicationError, match="switched off"):
        await go_on(operator, run, messages={"p": "Go on."})
    assert (await reloaded(run)).status == "waiting"
