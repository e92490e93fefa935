"""`load_dataset` and the built-in tasks."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from apps.tasks.builtin import tiny_ship
from apps.tasks.models import Dataset, Task
from workers.core.benchmarks.tests.hub_server import reachable_hub
from workers.core.benchmarks.tiny import tiny_path, tiny_tasks

from .conftest import jsonl, sums

pytestmark = pytest.mark.django_db


def load(*arguments: Any, **options: Any) -> str:
    said = StringIO()
    call_command("load_dataset", *map(str, arguments), stdout=said, stderr=said, **options)
    return said.getvalue()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "sums.jsonl"
    path.write_bytes(jsonl([*sums(1, 2), {"question": "?"}]))
    return path


def test_a_file_makes_a_data_set_and_loading_again_changes_nothing(file: Path) -> None:
    said = load("sums", file, "--benchmark", "gsm8k", "--split", "train", "--name", "Sums")
    assert "2 tasks imported, 0 removed, 0 unchanged, 1 rows skipped" in said
    assert "row 3: the column “answer” is missing" in said
    dataset = Dataset.objects.get()
    assert (dataset.name, dataset.benchmark, dataset.source) == ("Sums", "gsm8k", "sums.jsonl")
    assert "0 tasks imported, 0 removed, 2 unchanged" in load("sums", file, "--split", "train")
    assert Task.objects.count() == 2


def test_columns_are_mapped(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("Frage,Antwort\n1 + 1?,2\n")
    load("mine", path, "--split", "test", "--mapping", "query=Frage", "reference=Antwort")
    assert Task.objects.get().spec().reference == "2"


def test_files_that_rows_name_are_read_beside_them(tmp_path: Path, settings: Settings) -> None:
    settings.DATA_DIR = tmp_path / "data"
    path = tmp_path / "rows" / "gaia.jsonl"
    path.parent.mkdir()
    (path.parent / "a.csv").write_text("a,3")
    row = {"Question": "How much?", "Final answer": "3", "file_name": "a.csv"}
    path.write_bytes(jsonl([row, {**row, "file_name": "../../a.csv"}]))
    said = load("gaia", path, "--split", "dev", "--benchmark", "gaia")
    assert "1 tasks imported" in said
    assert "lies outside of the rows' folder" in said
    [file] = Task.objects.get().metadata["files"]
    assert (tmp_path / "data" / "files" / file["sha256"] / "data").read_text() == "a,3"


def test_a_dry_run_leaves_nothing(file: Path) -> None:
    said = load("sums", file, "--benchmark", "gsm8k", "--split", "train", "--dry-run")
    assert "2 tasks would be imported" in said
    assert not Dataset.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["sums", "missing.jsonl", "--split", "train"], "missing.jsonl: No such file"),
        (["sums", "--split", "train"], "Give either a file or --hub"),
        (["sums", "a.jsonl", "--split", "train", "--mapping", "x"], "OURS=THEIRS"),
        (["sums", "ODD", "--split", "train"], "None of the 1 rows can be read as a task"),
        (["No Slug", "FILE", "--split", "train", "--benchmark", "gsm8k"], "1 to 63"),
        (["sums", "FILE", "--split", "nope"], "invalid choice"),
        (["sums", "FILE", "--split", "train", "--benchmark", "magic"], "invalid choice"),
        (["sums", "--hub", "--split", "train"], "not a dataset id"),
    ],
)
def test_what_is_wrong_is_one_line_and_nothing_stays(
    file: Path, arguments: list[str], said: str
) -> None:
    odd = file.with_name("odd.jsonl")
    odd.write_text('{"colour": "blue"}\n')
    files = {"FILE": str(file), "ODD": str(odd)}
    with pytest.raises(CommandError, match=said):
        load(*[files.get(argument, argument) for argument in arguments])
    assert not Dataset.objects.exists()


def test_from_the_hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with reachable_hub(monkeypatch, tmp_path) as hub:
        hub.files["openai/gsm8k", "main"] = {"main/test.jsonl": jsonl(sums(1, 2, 3))}
        load("gsm8k", "--hub", "--benchmark", "gsm8k", "--split", "test")
    assert Task.objects.filter(split="test").count() == 3


class TestTiny:
    def test_it_is_whole_and_shipping_again_changes_nothing(self) -> None:
        assert tiny_ship()
        dataset = Dataset.objects.get(key="tiny")
        for split in ("train", "dev"):
            tasks = dataset.tasks.filter(split=split).order_by("index")
            assert [task.spec() for task in tasks] == tiny_tasks(split)
        ids = set(Task.objects.values_list("pk", flat=True))
        assert tiny_ship()
        assert set(Task.objects.values_list("pk", flat=True)) == ids
        assert Dataset.objects.get(key="tiny").updated_at == dataset.updated_at

    def test_what_people_changed_stays(self, file: Path) -> None:
        tiny_ship()
        load("tiny", file, "--benchmark", "gsm8k", "--split", "train", "--replace")
        assert not tiny_ship()
        assert Task.objects.filter(split="train").count() == 2

    def test_a_newer_edition_replaces_an_untouched_one(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tiny_ship()
        monkeypatch.setattr("apps.tasks.builtin.tiny_path", lambda split: tiny_path("dev"))
        assert tiny_ship()
        assert Task.objects.filter(split="train").count() == len(tiny_tasks("dev"))
