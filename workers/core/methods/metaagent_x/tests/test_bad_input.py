"""Hostile and broken scripts of a designer, on the stub server: each is named, repaired once, and
ends the run clearly."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from workers.core.errors import MethodError
from workers.core.events import BlockCalled, Event, ScriptRead
from workers.core.mas.tests.support import ScriptedClient, others
from workers.core.methods.metaagent_x.method import MetaAgentX
from workers.core.methods.metaagent_x.tests.support import (
    ALONE,
    asked_of,
    fenced,
    of,
    plays,
    solved,
)
from workers.core.methods.tests.support import ran
from workers.core.scripts.language import SCRIPT_CHARS
from workers.core.testing.stub_process import running_stub
from workers.core.testing.stub_settings import Rule

AGENT = 'a = agent("A", "Solve it.")'
BAD = {
    "no_code_block": ("The answer is 42.", None),
    "two_code_blocks": (f"{fenced(ALONE)}\nor\n{fenced(ALONE)}", None),
    "bad_import": (fenced(ALONE).replace("agent,", "committee, agent,"), 1),
    "unknown_name": (fenced(AGENT, "deliver(committee([a]))"), 3),
    "os": (fenced("import os", "os.system('id')", ALONE), 2),
    "never_ends": (fenced("while True:", "    x = 1", ALONE), 2),
    "too_many_calls": (fenced(AGENT, "while True:", "    a()", "deliver(a)"), 4),
    "too_deep": (fenced("def again(x):", "    return again(x)", "deliver(again(1))"), 3),
    "too_many_agents": (
        fenced('deliver(ensemble([agent(f"A{n}", "Solve it.") for n in range(10_000)]))'),
        2,
    ),
    "unknown_tool": (fenced('deliver(agent("A", "Solve it.", tools=["rocket"]))'), 2),
    "not_ascii": (fenced('deliver(\u0430gent("A", "Solve it."))'), 2),
}
"""A reply, and the line of its first problem. The key is the problem's code, but for `os`."""


def processes() -> set[str]:
    """The sandboxes that run on this machine as children of this process."""
    own = Path("/proc/self/task").glob("*/children")
    return {pid for path in own for pid in path.read_text().split()}


@pytest.mark.parametrize("kind", BAD)
async def test_a_bad_script_is_named_repaired_once_and_ends_the_run(kind: str) -> None:
    reply, line = BAD[kind]
    events: list[Event] = []
    with running_stub(rules=(Rule("", reply),)) as stub:
        before = processes()
        with pytest.raises(MethodError) as raised:
            await ran(MetaAgentX(), stub.url, heard=events)
        asked = stub.log()["requests"]
        assert processes() == before
    reads = of(events, ScriptRead)
    assert [(read.agent_id, read.attempt) for read in reads] == [("designer", 1), ("designer-2", 2)]
    problem = reads[0].problems[0]
    assert problem.code == ("bad_import" if kind == "os" else kind)
    assert problem.line == line
    assert problem.message
    assert problem.remedy
    assert all(len(read.script) <= SCRIPT_CHARS for read in reads)
    assert all(read.drawing is None for read in reads)
    told = asked[1]["messages"]
    assert problem.message in told[-1]["content"]
    assert len(told[-2]["content"]) <= 4_000
    assert raised.value.code == "unusable_script"
    assert problem.message in raised.value.message
    assert problem.remedy in raised.value.remedy
    assert not of(events, BlockCalled)
    await asyncio.sleep(0)
    assert not others()


async def test_of_a_script_of_a_megabyte_only_its_beginning_is_kept() -> None:
    events: list[Event] = []
    client = ScriptedClient(plays([fenced(f'x = "{"a" * 1_000_000}"', ALONE)]))
    with pytest.raises(MethodError, match="At most 20,000 are allowed"):
        await solved(client, into=events)
    reads = of(events, ScriptRead)
    assert [read.problems[0].code for read in reads] == ["too_long"] * 2
    assert [len(read.script) for read in reads] == [SCRIPT_CHARS] * 2
    assert len(asked_of(client.requests[1])) < 12_000


@pytest.fixture(scope="module")
def prose() -> Iterator[str]:
    reply = f"Let me think about the team.\n\n{fenced(ALONE)}\n\nThat should do."
    with running_stub(rules=(Rule("You design", reply), Rule("", "Answer: 42"))) as stub:
        yield stub.url


async def test_prose_around_the_script_is_left_out(prose: str) -> None:
    events = await ran(MetaAgentX(), prose)
    (read,) = of(events, ScriptRead)
    assert read.script.endswith(ALONE)
    assert not read.problems
