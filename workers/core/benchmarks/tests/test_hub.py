"""Datasets by hub id, from a hub that runs here."""

import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

from workers.core.benchmarks.gsm8k import GSM8K
from workers.core.benchmarks.hub import (
    CONVERTED,
    HubError,
    HubFile,
    declared_files,
    files_of,
    hub_download,
)
from workers.core.benchmarks.readers import read_rows
from workers.core.benchmarks.registry import BENCHMARKS

from .hub_server import Hub, reachable_hub

REPO = "owner/sums"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    with reachable_hub(monkeypatch, tmp_path / "cache") as running:
        yield running


def parquet_of(rows: list[dict[str, Any]]) -> bytes:
    buffer = BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(rows), buffer)
    return buffer.getvalue()


LINE = b'{"question": "1?"}\n'


def refusal(repo_id: str = REPO, **asked: Any) -> HubError:
    with pytest.raises(HubError) as caught:
        hub_download(repo_id, **{"split": "train", **asked})
    return caught.value


ROWS = [{"question": f"{n} + {n}?", "answer": f"#### {2 * n}"} for n in range(3)]


def test_a_split_is_downloaded_once_and_read(hub: Hub) -> None:
    hub.files[REPO, "main"] = {
        "README.md": b"# no data",
        "main/train-00000-of-00002.parquet": parquet_of(ROWS[:2]),
        "main/train-00001-of-00002.parquet": parquet_of(ROWS[2:]),
        "main/test-00000-of-00001.parquet": parquet_of(ROWS[:1]),
        "socratic/train-00000-of-00001.parquet": parquet_of(ROWS[:1]),
    }
    for _ in range(2):
        files = hub_download(REPO, config="main", split="train")
        rows = [row for file in files for _, row in read_rows(file)]
        assert rows == ROWS
    assert [GSM8K.task(row).reference for row in rows] == ["0", "2", "4"]
    fetched = [path for path in hub.asked if "/resolve/" in path]
    assert len([path for path in fetched if "train-00000" in path]) <= 3  # HEAD, GET, HEAD
    assert not any("README" in path or "test" in path for path in fetched)


def test_how_much_is_here_is_told_piece_by_piece(hub: Hub) -> None:
    contents = [LINE * 20, b'{"question": "2?"}\n' * 5]
    files = {f"main/train-{n}.jsonl": content for n, content in enumerate(contents)}
    hub.files[REPO, "main"] = files
    hub.pause = 0.001
    sizes = [len(content) for content in contents]
    told: list[tuple[int, int]] = []
    hub_download(REPO, config="main", split="train", told=lambda *note: told.append(note))
    dones = [done for done, _ in told]
    assert {total for _, total in told} == {sum(sizes)}
    assert dones == sorted(dones)
    assert {0, sizes[0], sum(sizes)} <= set(dones)
    assert len(set(dones)) > 10
    told.clear()  # now they are kept here
    hub_download(REPO, config="main", split="train", told=lambda *note: told.append(note))
    assert [done for done, _ in told] == [0, sizes[0], sum(sizes)]


def test_who_is_told_may_break_it_off(hub: Hub) -> None:
    hub.files[REPO, "main"] = {"train.jsonl": LINE * 20}
    hub.pause = 0.001

    def enough(done: int, total: int) -> None:
        if done:
            raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        hub_download(REPO, split="train", told=enough)
    hub.pause = 0.0
    assert len(hub_download(REPO, split="train")) == 1


def test_where_the_list_names_no_sizes_the_files_do(hub: Hub) -> None:
    hub.sizes = False
    hub.files[REPO, "main"] = {"main/train.jsonl": LINE * 10}
    assert refusal(config="main", max_bytes=100).code == "too_large"
    (file,) = hub_download(REPO, config="main", split="train", max_bytes=1_000)
    assert len(list(read_rows(file))) == 10


def test_what_has_no_size_at_all_is_not_fetched(hub: Hub) -> None:
    hub.sizes = hub.lengths = False
    hub.files[REPO, "main"] = {"main/train.jsonl": LINE * 10}
    assert refusal(config="main", max_bytes=1_000).code == "unknown_size"


def test_the_hubs_own_conversion_is_the_fallback(hub: Hub) -> None:
    hub.files[REPO, "main"] = {"sums.py": b"raise SystemExit"}
    hub.files[REPO, CONVERTED] = {"main/test/0000.parquet": parquet_of(ROWS)}
    (file,) = hub_download(REPO, config="main", split="test")
    assert [row for _, row in read_rows(file)] == ROWS


@pytest.mark.parametrize(
    ("repo_id", "split", "code"),
    [
        ("owner/other", "train", "unknown_hub_id"),
        (REPO, "validation", "no_such_split"),
        ("owner/gated", "train", "gated"),
        ("no-owner", "train", "bad_hub_id"),
        ("../../etc/passwd", "train", "bad_hub_id"),
        ("http://example.org/x", "train", "bad_hub_id"),
        ("a/b\n", "train", "bad_hub_id"),
        ("a/b--c", "train", "bad_hub_id"),
        ("a/b.git", "train", "bad_hub_id"),
        ("a/b-", "train", "bad_hub_id"),
        ("a/é", "train", "bad_hub_id"),
    ],
)
def test_what_the_hub_does_not_give(hub: Hub, repo_id: str, split: str, code: str) -> None:
    for name in (REPO, "owner/gated"):
        hub.files[name, "main"] = {"main/train.jsonl": b"{}\n"}
    hub.gated.add("owner/gated")
    refused = refusal(repo_id, config="main", split=split)
    assert refused.code == code
    assert refused.remedy
    if code == "no_such_split":
        assert "main/train.jsonl" in refused.remedy


def test_too_large_a_split_is_refused_before_it_is_fetched(hub: Hub) -> None:
    hub.files[REPO, "main"] = {"train.jsonl": b"x" * 1_000}
    refused = refusal(max_bytes=999)
    assert (refused.code, "MiB" in str(refused)) == ("too_large", True)
    assert not any("/resolve/" in path for path in hub.asked)


def test_a_hub_that_fails(hub: Hub) -> None:
    hub.broken = True
    assert refusal().code == "hub_failed"


def test_a_hub_that_sends_a_byte_now_and_then_is_not_waited_for(hub: Hub) -> None:
    hub.files[REPO, "main"] = {"train.jsonl": LINE * 1_000}
    hub.pause = 0.02
    began = time.monotonic()
    refused = refusal(seconds=0.5)
    assert refused.code == "hub_slow"
    assert "file" in refused.remedy
    assert time.monotonic() - began < 60
    hub.pause = 0.0
    assert len(hub_download(REPO, split="train", seconds=60)) == 1


def test_a_hub_that_takes_long_over_each_of_many_files_is_not_waited_for(hub: Hub) -> None:
    """What has no body is looked at, too: here the size of each file, which the list lacks."""
    names = [f"train-{n:05}.jsonl" for n in range(40)]
    hub.files[REPO, "main"] = dict.fromkeys(names, b'{"question": "1?"}')
    hub.sizes, hub.think = False, 0.05
    assert refusal(seconds=0.3).code == "hub_slow"
    assert len(hub.asked) < len(names)


def test_offline_by_the_environment(monkeypatch: pytest.MonkeyPatch, hub: Hub) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    refused = refusal()
    assert (refused.code, "HF_HUB_OFFLINE" in str(refused)) == ("hub_offline", True)
    assert not hub.asked


@pytest.mark.usefixtures("hub")
def test_no_hub_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    refused = refusal()
    assert refused.code == "hub_unreachable"
    assert "file" in refused.remedy


@pytest.mark.parametrize(
    ("paths", "config", "split", "chosen"),
    [
        (["main/train-00000-of-00001.parquet", "main/test-0.parquet"], "main", "test", [1]),
        (["a/train-0.parquet", "b/train-0.parquet"], "b", "train", [1]),
        (["a/train-0.parquet", "b/train-0.parquet"], "", "train", [0, 1]),
        (["data/train-00000-of-00001.parquet"], "", "train", [0]),
        (["data/train.csv", "data/train.parquet"], "", "train", [1]),
        (["test.jsonl", "train.jsonl"], "", "test", [0]),
        (["all/auxiliary_train-0.parquet", "all/train-0.parquet"], "all", "train", [1]),
        (["gpqa_main.csv", "gpqa_diamond.csv"], "gpqa_main", "train", [0]),
        (["gpqa_main.csv", "gpqa_diamond.csv"], "gpqa_main", "test", []),
        (["latest/contest.jsonl"], "", "test", []),
        (["main/train/0000.parquet", "main/train/0001.parquet"], "main", "train", [0, 1]),
    ],
)
def test_files_are_chosen_by_name(
    paths: list[str], config: str, split: str, chosen: list[int]
) -> None:
    found = files_of([HubFile(path, 1) for path in paths], config=config, split=split)
    assert [file.path for file in found] == [paths[place] for place in chosen]


CARD = [
    {"config_name": "2023_all", "data_files": [{"split": "dev", "path": "2023/dev/all.parquet"}]},
    {"config_name": "easy", "data_files": [{"split": "dev", "path": ["2023/dev/e*.parquet"]}]},
    {"config_name": "odd", "data_files": [{"split": "dev"}, "x", 3, {"split": ["dev"]}]},
    {"config_name": "odder", "data_files": {"dev": 3}},
    *("x", 3, None),
]


@pytest.mark.parametrize(
    ("configs", "config", "chosen"),
    [
        (CARD, "2023_all", ["2023/dev/all.parquet"]),
        (CARD, "easy", ["2023/dev/easy.parquet"]),
        *((CARD, config, []) for config in ("odd", "odder", "none", "")),
        *((card, "easy", []) for card in (None, "x", {"config_name": "easy"}, 3)),
    ],
)
def test_files_are_chosen_by_the_card(configs: object, config: str, chosen: list[str]) -> None:
    paths = ["2023/dev/easy.parquet", "2023/dev/all.parquet", "2023/test/all.parquet"]
    files = [HubFile(path, 1) for path in paths]
    found = declared_files(configs, files, config=config, split="dev")
    assert [file.path for file in found] == chosen


def test_gaias_rows_are_those_that_its_card_names(hub: Hub) -> None:
    """No folder there is named like a config, and each level has a file of its own beside."""
    data_files = [{"split": "validation", "path": "2023/validation/metadata.parquet"}]
    hub.card = {"configs": [{"config_name": "2023_all", "data_files": data_files}]}
    names = ("metadata", "metadata.level1", "metadata.level2")
    rows = parquet_of([{"Question": "?"}])
    hub.files[REPO, "main"] = {f"2023/validation/{name}.parquet": rows for name in names}
    (file,) = hub_download(REPO, config="2023_all", split="validation")
    assert file.name == "metadata.parquet"


def test_every_benchmark_names_a_repository_that_is_an_id() -> None:
    for benchmark in BENCHMARKS.values():
        if benchmark.hub is not None:
            assert benchmark.hub.repo_id.count("/") == 1
            assert set(benchmark.hub.splits) <= {"train", "dev", "test"}
