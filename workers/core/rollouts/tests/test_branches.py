"""A step's file of branches, which is larger than what is in memory together."""

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest
from pyarrow import parquet

from workers.core.rollouts.branches import (
    BATCH,
    FOLDER,
    FORMS,
    BranchRow,
    GroupFilter,
    exported,
    group_of,
    groups_of,
    path_of,
    steps_kept,
    write_branches,
)


def rows(count: int, *, breaks: bool = False) -> Iterator[BranchRow]:
    """Groups of two."""
    for at in range(count):
        yield BranchRow(
            episode=at // 2,
            task=0,
            agent="planner",
            turn=1,
            branch=at % 2 + 1,
            policy="shared",
            version=1,
            prompt_hash="",
            messages=[],
            tokens=[at],
            pieces=["a"],
            logprobs=[0.0],
            after=[],
            message="a",
            read="",
            finish="stop",
            reward=float(at),
            team={},
            local={},
            advantage=0.0,
            taken=False,
            ended="turns",
            solved=False,
            picture={},
        )
    if breaks:
        raise OSError("no space left")


def test_many_branches_are_one_file(tmp_path: Path) -> None:
    count = 2 * BATCH + 2
    write_branches(tmp_path, 1, rows(count), kept=5)
    page = groups_of(tmp_path, 1, GroupFilter(least=count - 1), offset=0, limit=10)
    assert [group["episode"] for group in page.results] == [BATCH]
    last = group_of(tmp_path, 1, episode=BATCH, agent="planner", turn=1)
    assert [row["tokens"] for row in last] == [[count - 2], [count - 1]]


def test_what_was_late_is_read_in_its_place(tmp_path: Path) -> None:
    late = 2 * BATCH  # branches, so that they fill two parts
    found = list(rows(late + BATCH + 2))
    asked: list[int] = []

    def waits() -> Iterator[BranchRow]:
        written = path_of(tmp_path, 1).with_suffix(".new")
        asked.append(written.stat().st_size)
        yield from found[:late]

    write_branches(tmp_path, 1, found[late:], late=waits(), kept=5)
    assert asked[0] > 0, "all others are written by then"
    page = groups_of(tmp_path, 1, GroupFilter(), offset=0, limit=10_000)
    assert [group["episode"] for group in page.results] == list(range(len(found) // 2))
    for form in FORMS:
        pieces = b"".join(exported(tmp_path, 1, GroupFilter(most=2 * late), form))
        if form == "parquet":
            told = parquet.read_table(io.BytesIO(pieces)).to_pylist()
        else:
            told = [json.loads(line) for line in pieces.splitlines()]
        assert [row["tokens"] for row in told] == [[at] for at in range(len(found))]
    first = group_of(tmp_path, 1, episode=0, agent="planner", turn=1)
    assert [row["tokens"] for row in first] == [[0], [1]]


def test_equal_ones_are_looked_for_where_there_are_some(tmp_path: Path) -> None:
    """Among log-probabilities that costs a quarter of the file's time, and makes it larger."""
    write_branches(tmp_path, 1, rows(4), kept=5)
    group = parquet.ParquetFile(path_of(tmp_path, 1)).metadata.row_group(0)
    columns = [group.column(at) for at in range(group.num_columns)]
    found = {each.path_in_schema for each in columns if each.has_dictionary_page}
    assert found >= {"messages", "pieces.list.element", "tokens.list.element"}
    assert not found & {"logprobs.list.element", "after.list.element", "reward"}


def test_a_chat_is_encoded_once_for_its_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chats = [[{"role": "user", "content": text}] for text in "abab"]
    found = [replace(row, messages=chats[at // 2]) for at, row in enumerate(rows(8))]
    counted = Mock(wraps=json.dumps)
    monkeypatch.setattr(json, "dumps", counted)
    write_branches(tmp_path, 1, found, kept=5)
    assert counted.call_count == 4
    for at, chat in enumerate(chats):
        kept = group_of(tmp_path, 1, episode=at, agent="planner", turn=1)
        assert [row["messages"] for row in kept] == [chat, chat]


def test_a_file_that_breaks_off_is_not_left(tmp_path: Path) -> None:
    write_branches(tmp_path, 1, rows(2), kept=5)
    with pytest.raises(OSError, match="no space"):
        write_branches(tmp_path, 2, rows(BATCH + 1, breaks=True), kept=5)
    assert steps_kept(tmp_path) == [1]
    assert len(list((tmp_path / FOLDER).iterdir())) == 1
