"""Files that lie beside the rows of a dataset, in a folder or on a hub that runs here."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from workers.core.benchmarks import beside, hub
from workers.core.benchmarks.benchmark import Row, RowError
from workers.core.benchmarks.beside import in_folder
from workers.core.benchmarks.hub import FilesOnHub, HubError
from workers.core.benchmarks.registry import BENCHMARKS

from .hub_server import Hub, reachable_hub

REPO = "owner/questions"
GAIA = BENCHMARKS["gaia"]


def row(file_name: str, **more: Any) -> Row:
    return {"Question": "How much?", "Final answer": "3", "file_name": file_name, **more}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "rows"
    (inside / "more").mkdir(parents=True)
    (inside / "a.csv").write_bytes(b"a,1\n")
    (inside / "more" / "b.png").write_bytes(b"\x89PNG")
    (inside / "empty.txt").touch()
    (tmp_path / "secret.txt").write_text("secret")
    (inside / "link.txt").symlink_to(tmp_path / "secret.txt")
    (inside / "loop.txt").symlink_to(inside / "loop.txt")
    return inside


@pytest.mark.parametrize(
    ("name", "file", "content"),
    [("a.csv", "a.csv", b"a,1\n"), ("more/b.png", "b.png", b"\x89PNG")],
)
def test_a_file_of_the_folder_comes_with_its_question(
    folder: Path, name: str, file: str, content: bytes
) -> None:
    task = GAIA.task(row(name), beside=in_folder(folder))
    [found] = task.metadata["files"]
    assert found == {"name": file, "content": base64.b64encode(content).decode()}


def test_a_file_in_the_row_itself_is_the_one_and_a_row_without_a_name_has_none(
    folder: Path,
) -> None:
    given = [{"name": "a.csv", "text": "b,2"}]
    task = GAIA.task(row("a.csv", files=given), beside=in_folder(folder))
    assert task.metadata["files"] == given
    assert "files" not in GAIA.task(row(""), beside=in_folder(folder)).metadata


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("none.csv", "not beside the rows"),
        ("more", "not beside the rows"),
        (".", "not beside the rows"),
        ("x" * 5_000, "can't be read: File name too long"),
        ("loop.txt", "can't be read"),
        ("empty.txt", "is empty"),
        ("../secret.txt", "outside of the rows' folder"),
        ("more/../../secret.txt", "outside of the rows' folder"),
        ("/etc/passwd", "outside of the rows' folder"),
        ("link.txt", "outside of the rows' folder"),
        ("a\0.csv", "NUL"),
    ],
)
def test_no_other_file_is_read(folder: Path, name: str, why: str) -> None:
    with pytest.raises(RowError, match=why):
        GAIA.task(row(name), beside=in_folder(folder))


def test_a_file_that_is_too_large_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "FILE_MAX_BYTES", 3)
    with pytest.raises(RowError, match="has more than"):
        GAIA.task(row("a.csv"), beside=in_folder(folder))


class TestOnTheHub:
    @pytest.fixture(autouse=True)
    def running(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
        with reachable_hub(monkeypatch, tmp_path / "cache") as running:
            running.files[REPO, "main"] = {
                "2023/validation/metadata.parquet": b"rows",
                "2023/validation/a.csv": b"a,1\n",
                "2023/validation/twice.csv": b"1",
                "2023/test/twice.csv": b"2",
                "2023/validation/empty.csv": b"",
            }
            yield running

    def test_a_file_is_found_by_its_name_and_fetched_once(self, running: Hub) -> None:
        files = FilesOnHub(REPO)
        assert running.asked == []
        for _ in range(2):
            [found] = GAIA.task(row("a.csv"), beside=files).metadata["files"]
            assert found == {"name": "a.csv", "content": base64.b64encode(b"a,1\n").decode()}
        assert files("validation/twice.csv") == b"1"
        lists = [path for path in running.asked if "/revision/" in path]
        assert len(lists) == 1

    def test_a_row_that_is_no_task_fetches_nothing(self, running: Hub) -> None:
        with pytest.raises(RowError, match="its answer is secret"):
            GAIA.task(row("a.csv", **{"Final answer": "?"}), beside=FilesOnHub(REPO))
        assert running.asked == []

    @pytest.mark.parametrize(
        ("name", "why"),
        [
            ("none.csv", "not beside the rows"),
            ("../validation/a.csv", "not beside the rows"),
            ("/etc/passwd", "not beside the rows"),
            (".", "not beside the rows"),
            ("twice.csv", "several files"),
            ("empty.csv", "is empty"),
        ],
    )
    def test_a_file_that_it_does_not_have_is_told(self, name: str, why: str) -> None:
        with pytest.raises(RowError, match=why):
            FilesOnHub(REPO)(name)

    def test_a_path_that_leads_elsewhere_is_never_fetched(self, running: Hub) -> None:
        running.files[REPO, "main"]["../../outside.csv"] = b"1"
        with pytest.raises(RowError, match="not beside the rows"):
            FilesOnHub(REPO)("outside.csv")
        assert not any("outside" in path for path in running.asked)

    def test_sizes_are_limited(self, running: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(HubError, match="together"):
            FilesOnHub(REPO, max_bytes=3)("a.csv")
        monkeypatch.setattr(hub, "FILE_MAX_BYTES", 3)
        with pytest.raises(RowError, match="has more than"):
            FilesOnHub(REPO)("a.csv")
        assert not any("/resolve/" in path for path in running.asked)

    def test_a_list_that_makes_a_file_smaller_than_it_is_helps_nothing(
        self, running: Hub, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(hub, "FILE_MAX_BYTES", 1_000)
        monkeypatch.setattr(hub, "_size", lambda *_: 1)
        running.files[REPO, "main"]["2023/validation/large.csv"] = b"x" * 100_000
        with pytest.raises(RowError, match="has more than"):
            FilesOnHub(REPO)("large.csv")

    def test_a_hub_that_is_away_slow_or_closed_ends_the_import(self, running: Hub) -> None:
        running.gated.add(REPO)
        for seconds, code in ((None, "gated"), (0.0, "hub_slow")):
            with pytest.raises(HubError) as caught:
                FilesOnHub(REPO, seconds=seconds)("a.csv")
            assert caught.value.code == code
