"""The designs that a training tried, and how each was executed: N designs of each question, M
executions of each, in a columnar file for each step (Parquet, zstd).

A row is an execution; a design that was not executed has one row with execution 0. What belongs to
the design stands in each of its rows: the format keeps equal neighbours once. A file is written
under another name and then renamed, so a reader sees a whole one or none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workers.core.events.scripts import ScriptDrawing, ScriptEnding, ScriptProblem
from workers.core.plain_text import clean, dump
from workers.core.rollouts.base import Finish, Messages

if TYPE_CHECKING:
    from pyarrow import Schema

FOLDER = "designs"
"""Below the job's folder."""


@dataclass(frozen=True, slots=True)
class CallRow:
    """An agent spoke: one trajectory of the executor. `number`: the call's, from 1. `role` and
    `family`: the keys of its role. `reads`: the numbers of the calls whose messages it read.
    `block`, `line`, `lines` and `place` as in `BlockCalled`. `text`: what others read of it.
    `advantage`: what it was learned from with; 0: nothing; None: its role was frozen."""

    number: int
    role: str
    family: str
    name: str
    prompt: str
    tools: Sequence[str]
    reads: Sequence[int]
    block: str
    line: int
    lines: Sequence[int]
    messages: Messages
    text: str
    answer: str | None
    usable: bool
    policy: str
    prompt_tokens: int
    tokens: int
    finish: Finish
    advantage: float | None
    place: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class ExecutionRow:
    """`execution` counts from 1. `delivered`: the call whose message is the answer; 0: the script
    wrote it, or there is none. `parts`: of the reward, by name. `learned`: whether the executor
    gets something from it. `advantage`: None while the executor was frozen."""

    execution: int
    ending: ScriptEnding
    problem: ScriptProblem | None
    printed: str
    delivered: int
    reward: float
    parts: Mapping[str, float]
    advantage: float | None
    correct: bool
    answer: str | None
    learned: bool
    calls: Sequence[CallRow]

    @property
    def tokens(self) -> int:
        return sum(call.tokens for call in self.calls)


@dataclass(frozen=True, slots=True)
class DesignRow:
    """`question` counts from 0 in its step, `task` is its place among the training's tasks, and
    `design` counts from 1. `shape`: "" if the design can't be used. `reward` and `advantage` are
    the designer's, which has no advantage while it is frozen."""

    question: int
    task: int
    query: str
    reference: str | None
    design: int
    messages: Messages
    reply: str
    script: str
    shape: str
    problems: Sequence[ScriptProblem]
    drawing: ScriptDrawing | None
    policy: str
    prompt_tokens: int
    tokens: int
    finish: Finish
    reward: float
    advantage: float | None
    executions: Sequence[ExecutionRow] = field(default=())


OF_QUESTION = ("question", "task", "query", "reference")
OF_DESIGN = (*("design", "script", "shape", "problems", "tokens", "finish", "reward", "advantage"),)
OF_EXECUTION = (
    *("execution", "ending", "execution_reward", "parts", "execution_advantage", "correct"),
    *("answer", "learned", "execution_tokens", "calls"),
)


def path_of(folder: Path, step: int) -> Path:
    return folder / FOLDER / f"step-{step:06d}.parquet"


def steps_kept(folder: Path) -> list[int]:
    """The steps whose designs are there, in order."""
    found = (folder / FOLDER).glob("step-*.parquet")
    return sorted(int(file.stem.removeprefix("step-")) for file in found)


def write_designs(folder: Path, step: int, rows: Iterable[DesignRow], *, kept: int) -> None:
    """Writes the step's file, and removes those of all but the `kept` latest steps. Raises
    OSError."""
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.Table.from_pylist(
        [row for design in rows for row in _encoded(design)], schema=_schema()
    )
    target = path_of(folder, step)
    target.parent.mkdir(parents=True, exist_ok=True)
    written = target.with_suffix(".new")
    parquet.write_table(table, written, compression="zstd")
    written.replace(target)
    for old in steps_kept(folder)[:-kept]:
        path_of(folder, old).unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class QuestionPage:
    """`count` questions are in the step; `results` are some of them, in order, each with its
    designs and their executions. `shapes`: of the whole step, with how many designs have each, the
    most frequent first."""

    count: int
    results: list[dict[str, Any]]
    shapes: list[dict[str, Any]]


def questions_of(folder: Path, step: int, *, offset: int, limit: int) -> QuestionPage:
    """Raises FileNotFoundError if the step's designs are not kept."""
    rows = _read(folder, step, (*OF_QUESTION, *OF_DESIGN, *OF_EXECUTION))
    questions = [list(group) for _, group in groupby(rows, key=lambda row: row["question"])]
    return QuestionPage(
        count=len(questions),
        results=[_question(rows) for rows in questions[offset : offset + limit]],
        shapes=_shapes(rows),
    )


def execution_of(
    folder: Path, step: int, *, question: int, design: int, execution: int
) -> tuple[DesignRow, ExecutionRow | None] | None:
    """A design with this execution alone; with execution 0, a design that was not executed. None if
    there is none. Raises FileNotFoundError."""
    place = [("question", "==", question), ("design", "==", design)]
    place.append(("execution", "==", execution))
    rows = _read(folder, step, _schema().names, place)
    return _restored(rows[0]) if rows else None


def script_of(folder: Path, step: int, *, question: int, design: int) -> tuple[str, str] | None:
    """The question's text and the design's script; "" if its reply has none. None if there is no
    such design. Raises FileNotFoundError."""
    place = [("question", "==", question), ("design", "==", design)]
    rows = _read(folder, step, ("query", "script"), place)
    return (rows[0]["query"], rows[0]["script"]) if rows else None


def _restored(row: Mapping[str, Any]) -> tuple[DesignRow, ExecutionRow | None]:
    execution = None
    if row["execution"]:
        own = {name.removeprefix("execution_"): row[name] for name in OF_EXECUTION}
        del own["tokens"]
        execution = ExecutionRow(
            **own
            | {
                "problem": ScriptProblem(**row["problem"]) if row["problem"] else None,
                "printed": row["printed"],
                "delivered": row["delivered"],
                "calls": tuple(CallRow(**call) for call in row["trace"]),
            }
        )
    names = [each.name for each in fields(DesignRow) if each.name != "executions"]
    design = DesignRow(
        **{name: row[name] for name in names}
        | {
            "problems": tuple(ScriptProblem(**each) for each in row["problems"]),
            "drawing": ScriptDrawing.model_validate(row["drawing"]) if row["drawing"] else None,
        },
        executions=(execution,) if execution else (),
    )
    return design, execution


def _question(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    designs = [list(group) for _, group in groupby(rows, key=lambda row: row["design"])]
    return {name: rows[0][name] for name in OF_QUESTION} | {
        "designs": [
            {name: rows[0][name] for name in OF_DESIGN}
            | {"executions": [_execution(row) for row in rows if row["execution"]]}
            for rows in designs
        ]
    }


def _execution(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name.removeprefix("execution_"): row[name] for name in OF_EXECUTION}


def _shapes(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    designs: dict[tuple[int, int], tuple[str, float]] = {
        (row["question"], row["design"]): (row["shape"], row["reward"]) for row in rows
    }
    rewards: dict[str, list[float]] = {}
    for shape, reward in designs.values():
        rewards.setdefault(shape, []).append(reward)
    told = [
        {"shape": shape, "designs": len(own), "reward": sum(own) / len(own)}
        for shape, own in rewards.items()
    ]
    return sorted(told, key=lambda each: (-each["designs"], each["shape"]))


def _encoded(design: DesignRow) -> Iterator[dict[str, Any]]:
    plain = (*OF_QUESTION, *OF_DESIGN, "reply", "policy", "prompt_tokens")
    own = {name: clean(getattr(design, name)) for name in plain if name != "problems"} | {
        "problems": _json([each.model_dump() for each in design.problems]),
        "drawing": _json(design.drawing.model_dump()) if design.drawing else "",
        "messages": _json([dict(message) for message in design.messages]),
    }
    if not design.executions:
        yield own | {"execution": 0}
    for each in design.executions:
        yield own | {
            "execution": each.execution,
            "ending": each.ending,
            "problem": _json(each.problem.model_dump()) if each.problem else "",
            "printed": clean(each.printed),
            "delivered": each.delivered,
            "execution_reward": each.reward,
            "parts": list(each.parts.items()),
            "execution_advantage": each.advantage,
            "correct": each.correct,
            "answer": clean(each.answer),
            "learned": each.learned,
            "execution_tokens": each.tokens,
            "calls": len(each.calls),
            "trace": _json(each.calls),
        }


def _json(value: Any) -> str:
    return dump(value).decode()


def _read(
    folder: Path,
    step: int,
    columns: Sequence[str],
    filters: list[tuple[str, str, Any]] | None = None,
) -> list[dict[str, Any]]:
    from pyarrow import parquet

    table = parquet.read_table(
        path_of(folder, step), columns=list(columns), filters=filters, partitioning=None
    )
    return [_decoded(row) for row in table.to_pylist()]


_JSON = ("problems", "drawing", "messages", "problem", "trace")


def _decoded(row: Mapping[str, Any]) -> dict[str, Any]:
    told = {name: json.loads(row[name]) if row[name] else None for name in _JSON if name in row}
    return {**row, **told, "parts": dict(row.get("parts") or ())}


def _schema() -> Schema:
    import pyarrow as pa

    return pa.schema(
        [
            ("question", pa.int32()),
            ("task", pa.int32()),
            ("query", pa.string()),
            ("reference", pa.string()),
            ("design", pa.int16()),
            ("messages", pa.string()),
            ("reply", pa.string()),
            ("script", pa.string()),
            ("shape", pa.string()),
            ("problems", pa.string()),
            ("drawing", pa.string()),
            ("policy", pa.string()),
            ("prompt_tokens", pa.int32()),
            ("tokens", pa.int32()),
            ("finish", pa.string()),
            ("reward", pa.float32()),
            ("advantage", pa.float32()),
            ("execution", pa.int16()),
            ("ending", pa.string()),
            ("problem", pa.string()),
            ("printed", pa.string()),
            ("delivered", pa.int32()),
            ("execution_reward", pa.float32()),
            ("parts", pa.map_(pa.string(), pa.float32())),
            ("execution_advantage", pa.float32()),
            ("correct", pa.bool_()),
            ("answer", pa.string()),
            ("learned", pa.bool_()),
            ("execution_tokens", pa.int32()),
            ("calls", pa.int32()),
            ("trace", pa.string()),
        ]
    )
