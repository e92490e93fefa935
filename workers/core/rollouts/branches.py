"""Every branch that a training tried, in a columnar file for each step (Parquet, zstd).

A row is a branch. What all branches of a group have in common stands in each of them: the format
keeps equal neighbours once. A file is written under another name and then renamed, so a reader sees
a whole one or none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import orjson

from workers.core.pieces import Pieces
from workers.core.rollouts.base import Ids, PolicyEngine, Sample

if TYPE_CHECKING:
    from pyarrow import RecordBatch, Schema, Table
    from pyarrow.parquet import ParquetFile

FOLDER = "branches"
"""Below the job's folder."""
Form = Literal["parquet", "jsonl"]
FORMS: tuple[Form, ...] = get_args(Form)
PLACE = ("episode", "turn", "agent")
"""The columns that say which group a branch is of."""
COMMON = (*PLACE, "task", "policy", "ended", "solved")
"""The columns in which the branches of a group are equal."""
ROUNDING = 2e-6
"""What rewards of 32 bits may differ by from those that were earned, and from what pages show."""
REPEATED = ["agent", "policy", "prompt_hash", "messages", "ended", "finish"]
REPEATED += ["pieces.list.element", "tokens.list.element"]
"""The columns in which few values come again and again. Log-probabilities don't: to look for equal
ones is a quarter of what a file costs."""
BATCH = 500
"""Branches that are in memory together while a file is written or sent."""


@dataclass(frozen=True, slots=True)
class BranchRow:
    """`agent` is the agent's name. `turn` and `branch` count from 1, `episode` and `task` from 0:
    the place among the step's episodes, and among the training's tasks. `messages`: the chat that
    the prompt was made of. `ended`: why the episode ended. `after`: log-probabilities of the tokens
    once the step was learned; () where they were not computed. `advantage`: None if the agent's
    role was frozen. `picture`: the state after the
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
    advantage: float | None
    taken: bool
    ended: str
    solved: bool
    picture: Mapping[str, Any]


def prompt_hash(prompt: Ids) -> str:
    """Equal for equal prompts: a group is one prompt."""
    return hashlib.sha256(",".join(map(str, prompt)).encode()).hexdigest()[:16]


def path_of(folder: Path, step: int) -> Path:
    return folder / FOLDER / f"step-{step:06d}.parquet"


def steps_kept(folder: Path) -> list[int]:
    """The steps whose branches are there, in order."""
    found = (folder / FOLDER).glob("step-*.parquet")
    return sorted(int(file.stem.removeprefix("step-")) for file in found)


def steps_of_task(folder: Path, task: int) -> list[int]:
    """The steps in which the training's task at this place was played, of those that are kept."""
    from pyarrow import parquet

    def plays(step: int) -> bool:
        try:
            with parquet.ParquetFile(path_of(folder, step)) as file:
                tasks = file.read(columns=["task"])["task"]
        except FileNotFoundError:  # of an old step, which has just been removed
            return False
        return task in tasks.to_pylist()

    return [step for step in steps_kept(folder) if plays(step)]


def pieces_of(
    engine: PolicyEngine, samples: Mapping[str, Iterable[Sample]]
) -> dict[str, dict[int, str]]:
    """By policy, the text of each token of its samples. It is asked for once: another process may
    have it."""
    return {
        policy: {
            token: engine.text(policy, (token,))
            for token in {token for sample in own for token in sample.tokens}
        }
        for policy, own in samples.items()
    }


def write_branches(
    folder: Path,
    step: int,
    rows: Iterable[BranchRow],
    *,
    kept: int,
    late: Iterable[BranchRow] = (),
) -> None:
    """Writes the step's file, some rows at a time, and removes those of all but the `kept` latest
    steps. `late`: rows of other episodes, which are asked for once the others are written. Raises
    OSError."""
    import pyarrow as pa
    from pyarrow import parquet

    target, schema = path_of(folder, step), _schema()
    target.parent.mkdir(parents=True, exist_ok=True)
    written = target.with_suffix(".new")
    try:
        encoded = _Encoder()
        with parquet.ParquetWriter(
            written, schema, compression="zstd", use_dictionary=REPEATED
        ) as writer:
            for part in (iter(rows), iter(late)):
                while some := [encoded(row) for row in islice(part, BATCH)]:
                    writer.write_table(pa.Table.from_pylist(some, schema=schema))
        written.replace(target)
    except BaseException:
        written.unlink(missing_ok=True)
        raise
    for old in steps_kept(folder)[:-kept]:
        path_of(folder, old).unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class GroupFilter:
    """Which groups are wanted; None: any. `mixed`: True for those whose rewards differ, False for
    those whose rewards are equal. `least`, `most`: bounds of the best branch's reward."""

    task: int | None = None
    agent: str | None = None
    turn: int | None = None
    ended: str | None = None
    mixed: bool | None = None
    least: float | None = None
    most: float | None = None

    def takes(self, group: Mapping[str, Any]) -> bool:
        best, worst = max(group["rewards"]), min(group["rewards"])
        return (
            all(
                wanted is None or group[name] == wanted
                for name in ("task", "agent", "turn", "ended")
                for wanted in [getattr(self, name)]
            )
            and (self.mixed is None or self.mixed == (best - worst > ROUNDING))
            and (self.least is None or best > self.least - ROUNDING)
            and (self.most is None or best < self.most + ROUNDING)
        )


@dataclass(frozen=True, slots=True)
class GroupPage:
    """`count` groups were found; `results` are some of them, by episode, turn and agent. `agents`,
    `turns`, `endings` and `rewards` (the least and the most) are those of the whole step."""

    count: int
    results: list[dict[str, Any]]
    agents: list[str]
    turns: list[int]
    endings: list[str]
    rewards: tuple[float, float]


def groups_of(
    folder: Path, step: int, wanted: GroupFilter, *, offset: int, limit: int
) -> GroupPage:
    """Raises FileNotFoundError if the step's branches are not kept."""
    from pyarrow import parquet

    with parquet.ParquetFile(path_of(folder, step)) as file:
        columns = _overview(file, _in_order(file))
    found = [group for group in _groups(columns) if wanted.takes(group)]
    return GroupPage(
        count=len(found),
        results=found[offset : offset + limit],
        agents=list(dict.fromkeys(columns["agent"])),
        turns=sorted(set(columns["turn"])),
        endings=sorted(set(columns["ended"])),
        rewards=(min(columns["reward"], default=0.0), max(columns["reward"], default=0.0)),
    )


def group_of(
    folder: Path, step: int, *, episode: int, agent: str, turn: int
) -> list[dict[str, Any]]:
    """The branches of one group; [] if there is none. Raises FileNotFoundError."""
    place = [("episode", "==", episode), ("agent", "==", agent), ("turn", "==", turn)]
    rows = _read(folder, step, _schema().names, place).to_pylist()
    return list(map(_decoded, rows))


def _in_order(file: ParquetFile) -> list[int]:
    """The parts of a file by episode: those that were late stand at its end."""
    parts = range(file.num_row_groups)
    episode = file.schema_arrow.get_field_index("episode")
    found = [file.metadata.row_group(part).column(episode).statistics.min for part in parts]
    return sorted(parts, key=found.__getitem__)


def _overview(file: ParquetFile, parts: Sequence[int]) -> dict[str, list[Any]]:
    """The columns that tell of groups."""
    columns = [*COMMON, "version", "reward", "finish"]
    found: dict[str, list[Any]] = file.read_row_groups(parts, columns=columns).to_pydict()
    return found


def exported(folder: Path, step: int, wanted: GroupFilter, form: Form) -> Iterator[bytes]:
    """The branches of the wanted groups as a file, piece by piece. A line of JSON is a branch.
    Raises FileNotFoundError if the step's branches are not kept."""
    batches = _wanted(folder, step, wanted)
    return _parquet(batches) if form == "parquet" else _lines(batches)


def _wanted(folder: Path, step: int, wanted: GroupFilter) -> Iterator[RecordBatch]:
    from pyarrow import array, parquet

    with parquet.ParquetFile(path_of(folder, step)) as file:
        order = _in_order(file)
        columns = _overview(file, order)
        kept = {
            tuple(group[name] for name in PLACE)
            for group in _groups(columns)
            if wanted.takes(group)
        }
        places = zip(*(columns[name] for name in PLACE), strict=True)
        mask = [place in kept for place in places]
        start = 0
        for batch in file.iter_batches(BATCH, order):
            rows = len(batch)
            yield batch.filter(array(mask[start : start + rows]))
            start += rows


def _parquet(batches: Iterable[RecordBatch]) -> Iterator[bytes]:
    from pyarrow import parquet

    file = Pieces()
    with parquet.ParquetWriter(
        file, _schema(), compression="zstd", use_dictionary=REPEATED
    ) as writer:
        for batch in batches:
            if len(batch):
                writer.write_batch(batch)
                yield file.taken()
    yield file.taken()


def _lines(batches: Iterable[RecordBatch]) -> Iterator[bytes]:
    for batch in batches:
        yield b"".join(
            orjson.dumps(_decoded(row), option=orjson.OPT_APPEND_NEWLINE)
            for row in batch.to_pylist()
        )


def _groups(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """The groups of a step's branches, in their order."""
    groups: dict[tuple[Any, ...], dict[str, Any]] = {}
    places = zip(*(columns[name] for name in COMMON), strict=True)
    others = zip(columns["version"], columns["reward"], columns["finish"], strict=True)
    for place, (version, reward, finish) in zip(places, others, strict=True):
        group = groups.get(place)
        if group is None:
            group = dict(zip(COMMON, place, strict=True))
            groups[place] = group | {"version": version, "rewards": [], "cut": 0}
            group = groups[place]
        group["rewards"].append(reward)
        group["cut"] += finish == "length"
    return list(groups.values())


class _Encoder:
    """Makes rows that a file takes. The branches of a group have one chat: it is encoded once."""

    def __init__(self) -> None:
        self._names = [each.name for each in fields(BranchRow)]
        self._messages: tuple[Sequence[Mapping[str, str]], str] = (), "[]"

    def __call__(self, row: BranchRow) -> dict[str, Any]:
        if self._messages[0] is not row.messages:
            self._messages = row.messages, json.dumps(list(row.messages), ensure_ascii=False)
        return {name: getattr(row, name) for name in self._names} | {
            "messages": self._messages[1],
            "team": list(row.team.items()),
            "local": list(row.local.items()),
            "picture": json.dumps(row.picture, ensure_ascii=False) if row.picture else "{}",
        }


def _decoded(row: Mapping[str, Any]) -> dict[str, Any]:
    return dict(row) | {
        "messages": json.loads(row["messages"]),
        "picture": json.loads(row["picture"]),
        "team": dict(row["team"]),
        "local": dict(row["local"]),
    }


def _read(
    folder: Path,
    step: int,
    columns: Sequence[str],
    filters: list[tuple[str, str, Any]] | None = None,
) -> Table:
    from pyarrow import parquet

    return parquet.read_table(
        path_of(folder, step), columns=list(columns), filters=filters, partitioning=None
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
