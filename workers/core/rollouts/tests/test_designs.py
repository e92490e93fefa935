"""Designs and executions of a step, as they are kept."""

from pathlib import Path
from typing import Any

import pytest

from workers.core.events import (
    AgentFailed,
    AgentFinished,
    BlockCalled,
    IntermediateAnswer,
    ScriptEnded,
    ScriptRead,
)
from workers.core.events.scripts import ScriptProblem
from workers.core.rollouts.design_traces import events_of, graph_after
from workers.core.rollouts.designs import (
    CallRow,
    DesignRow,
    ExecutionRow,
    execution_of,
    path_of,
    questions_of,
    steps_kept,
    write_designs,
)

PROBLEM = ScriptProblem(code="script_crashed", message="It failed.", remedy="Correct it.", line=3)


def call(number: int, **fields: Any) -> CallRow:
    given: dict[str, Any] = {
        "role": "solver",
        "family": "executor",
        "name": "Solver",
        "prompt": "Solve it.",
        "tools": (),
        "reads": (),
        "block": "b1",
        "line": 2,
        "lines": (3,),
        "messages": ({"role": "user", "content": "2 + 2?"},),
        "text": "4",
        "answer": "4",
        "usable": True,
        "policy": "executor",
        "prompt_tokens": 5,
        "tokens": 7,
        "finish": "stop",
        "advantage": 0.5,
    }
    return CallRow(number, **(given | fields))


def execution(number: int, **fields: Any) -> ExecutionRow:
    given: dict[str, Any] = {
        "ending": "delivered",
        "problem": None,
        "printed": "",
        "delivered": 1,
        "reward": 1.0,
        "parts": {"correct": 1.0},
        "advantage": 0.5,
        "correct": True,
        "answer": "4",
        "learned": True,
        "calls": (call(1),),
    }
    return ExecutionRow(number, **(given | fields))


def design(question: int, number: int, **fields: Any) -> DesignRow:
    given: dict[str, Any] = {
        "task": 0,
        "query": "2 + 2?",
        "reference": None,
        "messages": ({"role": "user", "content": "Design."},),
        "reply": "deliver(…)",
        "script": "deliver(…)",
        "shape": "agent",
        "problems": (),
        "drawing": None,
        "policy": "designer",
        "prompt_tokens": 9,
        "tokens": 11,
        "finish": "stop",
        "reward": 1.0,
        "advantage": 1.0,
        "executions": (execution(1),),
    }
    return DesignRow(question, design=number, **(given | fields))


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    crashed = execution(2, ending="failed", problem=PROBLEM, printed="x", delivered=0, answer=None)
    row = design(1, 1, executions=(execution(1), crashed))
    write_designs(tmp_path, 3, [design(0, 1), row], kept=5)
    found = execution_of(tmp_path, 3, question=1, design=1, execution=2)
    assert found is not None
    kept, executed = found
    assert executed is not None
    assert (executed.problem, executed.printed, executed.ending) == (PROBLEM, "x", "failed")
    assert executed.calls[0].text == "4"
    assert (kept.script, kept.query, kept.tokens) == (row.script, row.query, row.tokens)


def test_a_reader_sees_a_whole_file_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(table: object, target: Path, **_: object) -> None:
        target.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("pyarrow.parquet.write_table", cut)
        with pytest.raises(OSError, match="No space"):
            write_designs(tmp_path, 1, [design(0, 1)], kept=5)
    assert steps_kept(tmp_path) == []
    with pytest.raises(FileNotFoundError):
        questions_of(tmp_path, 1, offset=0, limit=1)


def test_only_the_latest_steps_stay(tmp_path: Path) -> None:
    for step in (1, 2, 3):
        write_designs(tmp_path, step, [design(0, 1)], kept=2)
    assert steps_kept(tmp_path) == [2, 3]
    assert not path_of(tmp_path, 1).exists()


def test_shapes_are_counted_by_design_not_by_execution(tmp_path: Path) -> None:
    two = (execution(1), execution(2))
    unusable = {"shape": "", "problems": (PROBLEM,), "executions": (), "reward": 0.0}
    rows = [design(0, 1, executions=two), design(0, 2, **unusable), design(1, 1, reward=0.5)]
    write_designs(tmp_path, 1, rows, kept=1)
    page = questions_of(tmp_path, 1, offset=1, limit=1)
    assert page.shapes == [
        {"shape": "agent", "designs": 2, "reward": 0.75},
        {"shape": "", "designs": 1, "reward": 0.0},
    ]
    assert (page.count, [each["question"] for each in page.results]) == (2, [1])


def test_an_execution_as_a_run_says_which_message_was_delivered() -> None:
    calls = (call(1), call(2, reads=(1,)))
    events = list(events_of(design(0, 1), execution(1, calls=calls, delivered=1)))
    assert [event.call for event in events if isinstance(event, BlockCalled)] == [1, 2]
    assert isinstance(events[-2], ScriptEnded)
    assert isinstance(events[-1], IntermediateAnswer)
    assert events[-1].agent_id == "a1"
    graph = graph_after(events)
    assert [(edge.source, edge.target) for edge in graph.edges] == [("a1", "a2")]


def test_a_reply_without_a_script_is_shown_as_it_was() -> None:
    row = design(0, 1, script="", reply="I can't.", problems=(PROBLEM,), executions=())
    events = list(events_of(row, None))
    assert isinstance(events[-1], ScriptRead)
    assert (events[-1].script, events[-1].problems) == ("I can't.", (PROBLEM,))


def test_a_reply_that_nobody_read_is_that_of_an_agent_that_failed() -> None:
    own = execution(1, calls=(call(1, text="", usable=False, answer=None), call(2)))
    told = list(events_of(design(0, 1, executions=(own,)), own))
    [failed] = [event for event in told if isinstance(event, AgentFailed)]
    assert (failed.agent_id, failed.usage.completion_tokens) == ("a1", 7)
    finished = [event.agent_id for event in told if isinstance(event, AgentFinished)]
    assert finished == ["designer", "a2"]
