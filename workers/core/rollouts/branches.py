"""Every branch that a training tried, in a columnar file for each step (Parquet, zstd).

A row is a branch. What all branches of a group have in common stands in each of them: the format
keeps equal neighbours once. A file is written under another name and then renamed, so a reader sees
a whole one or none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyarrow import Schema, Table

FOLDER = "branches"
"""Below the job's folder."""


@dataclass(frozen=True, slots=True)
class BranchRow:
    """`agent` is the agent's name. `turn` and `branch` count from 1, `episode` and `task` from 0:
    the place among the step's episodes, and among the training's tasks. `messages`: the chat that
    the prompt was made of. `ended`: why the episode ended. `after`: log-probabilities of the tokens
    once the step was learned; () where they were not computed. `picture`: the state after the
    branch that was taken; {} for others."""

    episode: int
    task: int
    agent: str
    turn: int
    branch: int
    policy: str
    version: int
    prompt_hash: str
    messages: Sequence[Mapping[str, str]]
    tokens: Sequence[int]
    pieces: Sequence[str]
    logprobs: Sequence[float]
    after: Sequence[float]
    message: str
    read: str
    finish: str
    reward: float
    team: Mapping[str, float]
    local: Mapping[str, float]
    advantage: float
    taken: bool
    ended: str
    solved: bool
    picture: Mapping[str, Any]


def path_of(folder: Path, step: int) -> Path:
    return folder / FOLDER / f"step-{step:06d}.parquet"


def steps_kept(folder: Path) -> list[int]:
    """The steps whose branches are there, in order."""
    found = (folder / FOLDER).glob("step-*.parquet")
    return sorted(int(file.stem.removeprefix("step-")) for file in found)


def write_branches(folder: Path, step: int, rows: Iterable[BranchRow], *, kept: int) -> None:
    """Writes the step's file, and removes those of all but the `kept` latest steps. Raises
    OSError."""
    import pyarrow as pa
    from pyarrow import parquet

    columns = _schema().names
    table = pa.Table.from_pylist(
        [
            {name: getattr(row, name) for name in columns}
            | {
                "messages": json.dumps(list(row.messages), ensure_ascii=False),
                "team": list(row.team.items()),
                "local": list(row.local.items()),
                "picture": json.dumps(row.picture, ensure_ascii=False),
            }
            for row in rows
        ],
        schema=_schema(),
    )
    target = path_of(folder, step)
    target.parent.mkdir(parents=True, exist_ok=True)
    written = target.with_suffix(".new")
    parquet.write_table(table, written, compression="zstd")
    written.replace(target)
    for old in steps_kept(folder)[:-kept]:
        path_of(folder, old).unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class GroupFilter:
    """Which groups are wanted; None: any. `mixed`: only those whose rewards differ."""

    task: int | None = None
    agent: str | None = None
    turn: int | None = None
    ended: str | None = None
    mixed: bool = False
    least: float | None = None
    """The best branch earned at least this."""


def groups_of(
    folder: Path, step: int, wanted: GroupFilter, *, offset: int, limit: int
) -> tuple[int, list[dict[str, Any]]]:
    """How many groups there are, and some of them, by episode, turn and agent. Raises
    FileNotFoundError if the step's branches are not kept."""
    names = ("episode", "task", "turn", "agent", "policy", "ended", "solved")
    table = _read(folder, step, wanted, [*names, "reward", "version", "finish"])
    groups: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in table.to_pylist():
        key = tuple(row[name] for name in names)
        group = groups.setdefault(
            key, {name: row[name] for name in (*names, "version")} | {"rewards": [], "cut": 0}
        )
        group["rewards"].append(row["reward"])
        group["cut"] += row["finish"] == "length"
    found = [
        group
        for group in groups.values()
        if (not wanted.mixed or len(set(group["rewards"])) > 1)
        and (wanted.least is None or max(group["rewards"]) >= wanted.least)
    ]
    return len(found), found[offset : offset + limit]


def group_of(
    folder: Path, step: int, *, episode: int, agent: str, turn: int
) -> list[dict[str, Any]]:
    """The branches of one group; [] if there is none. Raises FileNotFoundError."""
    wanted = GroupFilter(agent=agent, turn=turn)
    rows = _read(folder, step, wanted, _schema().names, episode=episode).to_pylist()
    return [
        row
        | {
            "messages": json.loads(row["messages"]),
            "picture": json.loads(row["picture"]),
            "team": dict(row["team"]),
            "local": dict(row["local"]),
        }
        for row in rows
    ]


def _read(
    folder: Path,
    step: int,
    wanted: GroupFilter,
    columns: Sequence[str],
    *,
    episode: int | None = None,
) -> Table:
    from pyarrow import parquet

    equal = {name: getattr(wanted, name) for name in ("task", "agent", "turn", "ended")}
    equal["episode"] = episode
    filters = [(name, "==", value) for name, value in equal.items() if value is not None]
    return parquet.read_table(
        path_of(folder, step), columns=list(columns), filters=filters or None, partitioning=None
    )


def _schema() -> Schema:
    import pyarrow as pa

    parts = pa.map_(pa.string(), pa.float32())
    return pa.schema(
        [
            ("episode", pa.int32()),
            ("task", pa.int32()),
            ("agent", pa.string()),
            ("turn", pa.int16()),
            ("branch", pa.int16()),
            ("policy", pa.string()),
            ("version", pa.int32()),
            ("prompt_hash", pa.string()),
            ("messages", pa.string()),
            ("tokens", pa.list_(pa.int32())),
            ("pieces", pa.list_(pa.string())),
            ("logprobs", pa.list_(pa.float32())),
            ("after", pa.list_(pa.float32())),
            ("message", pa.string()),
            ("read", pa.string()),
            ("finish", pa.string()),
            ("reward", pa.float32()),
            ("team", parts),
            ("local", parts),
            ("advantage", pa.float32()),
            ("taken", pa.bool_()),
            ("ended", pa.string()),
            ("solved", pa.bool_()),
            ("picture", pa.string()),
        ]
    )
