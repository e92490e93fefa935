"""Importing: all or nothing, safe to repeat, and clear about what is wrong."""

import base64
import json
import threading
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from pytest_django import Settings

from apps.accounts.models import User
from apps.accounts.tests.cast import AsUser
from apps.common.tests.connections import connection_is_free
from apps.tasks import admission, api
from apps.tasks.imports import digest_refresh
from apps.tasks.models import Dataset, Task
from apps.tasks.services import dataset_create, dataset_update
from workers.core.benchmarks.hub import hub_download
from workers.core.benchmarks.operands import OPERANDS
from workers.core.benchmarks.readers import read_rows
from workers.core.benchmarks.registry import BENCHMARKS
from workers.core.benchmarks.tests.hub_server import reachable_hub
from workers.core.benchmarks.worked_solutions import SOLUTION

from .conftest import Rows, as_csv, as_parquet, jsonl, send, sums

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("dataset")]


def numbers(dataset: Dataset, split: str = "train") -> list[str]:
    """The references of a split in order; its places are without gaps."""
    tasks = list(dataset.tasks.filter(split=split).order_by("index"))
    assert [task.index for task in tasks] == list(range(len(tasks)))
    return [task.reference for task in tasks]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", jsonl(sums(1, 2))),
        ("a.csv", as_csv(sums(1, 2))),
        ("A.PARQUET", as_parquet(sums(1, 2))),
    ],
)
def test_every_format(as_user: AsUser, dataset: Dataset, name: str, content: bytes) -> None:
    answer = send(as_user("curator"), content, name=name)
    assert answer.status_code == 200, answer.content
    report = answer.json()
    preview = report.pop("preview")
    counts = {"rows": 2, "imported": 2, "unchanged": 0, "removed": 0, "skipped_count": 0}
    assert report == {**counts, "skipped": [], "dry_run": False}
    assert preview[0] == {
        "split": "train",
        "index": 0,
        "query": "1 + 1?",
        "reference": "2",
        "verifier": "numeric",
        "domain": "mathematics",
        "metadata": {SOLUTION: "It is 2.\n#### 2"},
    }
    assert numbers(dataset) == ["2", "4"]


def test_repeating_changes_nothing(as_user: AsUser, dataset: Dataset) -> None:
    client = as_user("curator")
    send(client, sums(1, 2))
    dataset.refresh_from_db()
    before = (dataset.digest, dataset.updated_at, set(Task.objects.values_list("pk", flat=True)))
    for replace in (False, True):
        report = send(client, sums(1, 2), replace=replace).json()
        assert (report["imported"], report["unchanged"], report["removed"]) == (0, 2, 0)
    dataset.refresh_from_db()
    after = (dataset.digest, dataset.updated_at, set(Task.objects.values_list("pk", flat=True)))
    assert after == before


def test_more_rows_are_added_at_the_end(as_user: AsUser, dataset: Dataset) -> None:
    client = as_user("curator")
    send(client, sums(1, 2))
    report = send(client, sums(3, 1)).json()
    assert (report["imported"], report["unchanged"]) == (1, 1)
    assert numbers(dataset) == ["2", "4", "6"]


def test_what_judges_no_answer_is_added_to_stored_tasks_without_making_others_of_them(
    as_user: AsUser, dataset: Dataset
) -> None:
    """A dataset from before solutions were kept has the same digest and the same rows."""
    client = as_user("curator")
    row = {"question": "Half of 8?", "answer": "8/2=<<8/2=4>>4\n#### 4"}
    send(client, [row])
    Task.objects.update(metadata={})
    digest_refresh(dataset=dataset)
    before = (dataset.digest, Task.objects.get().pk)
    report = send(client, [row]).json()
    assert (report["imported"], report["unchanged"]) == (0, 1)
    assert Task.objects.get().metadata == {SOLUTION: row["answer"], OPERANDS: ["2", "8"]}
    digest_refresh(dataset=dataset)
    assert (dataset.digest, Task.objects.get().pk) == before


def test_replace_makes_the_split_the_file_and_keeps_equal_rows(
    as_user: AsUser, dataset: Dataset
) -> None:
    client = as_user("curator")
    send(client, sums(1, 2, 3, 4))
    send(client, sums(9), split="test")
    kept = {task.reference: task.pk for task in dataset.tasks.all()}
    report = send(client, sums(4, 5, 1, 3), replace=True).json()
    assert (report["imported"], report["unchanged"], report["removed"]) == (1, 3, 1)
    assert numbers(dataset) == ["8", "10", "2", "6"]
    assert numbers(dataset, "test") == ["18"]
    now = {task.reference: task.pk for task in dataset.tasks.all()}
    assert {n: now[n] for n in ("2", "6", "8")} == {n: kept[n] for n in ("2", "6", "8")}


def test_equal_rows_of_a_file_are_counted(as_user: AsUser, dataset: Dataset) -> None:
    client = as_user("curator")
    assert send(client, sums(1, 1, 2)).json()["imported"] == 3
    again = send(client, sums(1, 1, 2)).json()
    assert (again["imported"], again["unchanged"]) == (0, 3)
    assert send(client, sums(1, 2), replace=True).json()["removed"] == 1
    assert numbers(dataset) == ["2", "4"]


def test_a_dry_run_tells_the_same_and_changes_nothing(as_user: AsUser, dataset: Dataset) -> None:
    client = as_user("curator")
    send(client, sums(1, 2))
    told = send(client, sums(2, 3), replace=True, dry_run=True).json()
    assert told["dry_run"]
    assert numbers(dataset) == ["2", "4"]
    done = send(client, sums(2, 3), replace=True).json()
    assert told | {"dry_run": False} == done
    assert numbers(dataset) == ["4", "6"]


def test_rows_that_are_no_tasks_are_told_and_left_out(as_user: AsUser, dataset: Dataset) -> None:
    rows = [*sums(1), {"question": "?"}, *sums(2), *([{"question": "x", "answer": "y"}] * 150)]
    report = send(as_user("curator"), rows).json()
    assert (report["rows"], report["imported"], report["skipped_count"]) == (153, 2, 151)
    assert len(report["skipped"]) == 100
    reason = "the column “answer” is missing or empty"
    assert report["skipped"][0] == {"row": 2, "reason": reason}
    assert numbers(dataset) == ["2", "4"]


def test_a_file_of_other_columns_is_mapped(as_user: AsUser, dataset: Dataset) -> None:
    client = as_user("curator")
    rows = [{"Frage": "1 + 1?", "Lösung": "2", "question": "not this"}]
    refused = send(client, rows)
    assert refused.status_code == 400
    assert refused.json()["error"]["code"] == "no_tasks"
    assert "“answer” is missing" in refused.json()["error"]["message"]
    mapping = {"question": "Frage", "answer": "Lösung"}
    assert send(client, rows, mapping=mapping).json()["imported"] == 1
    assert dataset.tasks.get().query == "1 + 1?"


def test_a_mapping_names_columns_that_the_file_has(as_user: AsUser) -> None:
    client = as_user("curator")
    rows = [*sums(1), {**sums(2)[0], "later": "x"}]
    refused = send(client, rows, mapping={"question": "questoin"})
    error = refused.json()["error"]
    assert (refused.status_code, error["fields"][0]["field"]) == (400, "mapping")
    has = "“question”, “answer”, “later”"
    assert error["message"] == f"The file has no column “questoin”. Its columns are {has}."
    assert not Task.objects.exists()
    assert send(client, rows, mapping={"domain": "later", "unit": ""}).status_code == 200


def test_files_of_rows_are_stored_once(
    as_user: AsUser, dataset: Dataset, settings: Settings, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    client = as_user("curator")
    files = [{"name": "prices.csv", "text": "a,1"}]
    rows: list[dict[str, Any]] = [
        {"query": "What does a cost?", "reference": "1", "files": files},
        {"query": "What costs 1?", "reference": "a", "files": json.dumps(files)},
    ]
    assert send(client, rows, benchmark="custom", dry_run=True).status_code == 200
    assert not (tmp_path / "files").exists()
    assert send(client, rows, benchmark="custom").json()["imported"] == 2
    [stored] = (tmp_path / "files").glob("[!.]*")
    named = {"files": [{"name": "prices.csv", "sha256": stored.name}]}
    assert [task.metadata for task in dataset.tasks.all()] == [named, named]
    assert send(client, rows, benchmark="custom").json()["unchanged"] == 2


def test_a_benchmark_with_pictures_may_have_longer_rows(
    as_user: AsUser, dataset: Dataset, settings: Settings, tmp_path: Path
) -> None:
    """Copies of them in its file are not read."""
    settings.DATA_DIR = tmp_path
    image = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"." * 3_000_000).decode()
    row = {"question": "What is it?", "answer": "A dot", "image": f"data:image/png;base64,{image}"}
    rows = [{**row, "image_preview": {"bytes": "x" * 50_000_000}}]
    report = send(as_user("curator"), as_parquet(rows), name="a.parquet", benchmark="hle").json()
    assert report["imported"] == 1
    assert dataset.tasks.get().metadata["files"][0]["name"] == "image.png"


def test_an_upload_reads_no_files_of_this_machine(as_user: AsUser, dataset: Dataset) -> None:
    rows = [{"Question": "Who?", "Final answer": "I", "file_name": "/etc/passwd"}]
    refused = send(as_user("curator"), rows, benchmark="gaia").json()
    assert "which is not here" in refused["error"]["message"]


def test_files_that_can_not_be_read_name_the_row(as_user: AsUser, dataset: Dataset) -> None:
    rows: list[dict[str, Any]] = [
        {"query": "What does a cost?", "reference": "1"},
        {"query": "What costs 1?", "reference": "a", "files": [{"name": "a.csv"}]},
    ]
    report = send(as_user("curator"), rows, benchmark="custom").json()
    assert (report["imported"], report["skipped"][0]["row"]) == (1, 2)
    assert "the column “files” can't be read" in report["skipped"][0]["reason"]


def test_another_benchmark_and_another_verifier(as_user: AsUser, dataset: Dataset) -> None:
    client = as_user("curator")
    rows = [{"query": "Capital of France?", "reference": "Paris"}]
    assert send(client, rows, benchmark="custom").json()["imported"] == 1
    assert dataset.tasks.get().verifier == "exact"
    client.patch("/api/datasets/sums", {"verifier": "latex"})
    for _ in range(2):
        report = send(client, sums(1), split="test").json()
    assert (report["imported"], report["unchanged"]) == (0, 1)
    assert dataset.tasks.get(split="test").verifier == "latex"


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        (b"", "a.jsonl", "empty"),
        (b"\n\n", "a.jsonl", "no rows"),
        (b"{", "a.jsonl", "Row 1"),
        (jsonl(sums(1, 2)) + b'{"question": "cut of', "a.jsonl", "Row 3"),
        (jsonl(sums(1, 2)) + b"\xff\n", "a.jsonl", "Row 3 is not UTF-8"),
        ("question,answer\ngröße,#### 1\n".encode("latin-1"), "a.csv", "not UTF-8"),
        ("question,answer\n1,#### 1\n".encode("utf-16"), "a.csv", "not UTF-8"),
        (b"question,answer\n1\n", "a.csv", "Row 1"),
        (b"this is no Parquet", "a.parquet", "not Parquet"),
        (as_parquet(sums(*range(2_000)))[:-200], "a.parquet", "not Parquet"),
        (jsonl(sums(1)), "a.exe", "does not show the file's type"),
        (jsonl(sums(1)), "jsonl", "does not show the file's type"),
        (b'{"question": ' + b"[" * 450 + b"]" * 450 + b"}", "a.jsonl", "values nested"),
        (jsonl([{"question": "x" * 3_000_000, "answer": "#### 1"}]), "a.jsonl", "Row 1"),
        (jsonl([{"question": "x" * 100_001, "answer": "#### 1"}]), "a.jsonl", "100,000"),
    ],
)
def test_a_bad_file_changes_nothing(
    as_user: AsUser, dataset: Dataset, content: bytes, name: str, said: str
) -> None:
    client = as_user("curator")
    send(client, sums(7))
    refused = send(client, content, name=name, replace=True)
    assert refused.status_code == 400, refused.content
    error = refused.json()["error"]
    assert said in error["message"]
    assert error["remedy"]
    assert numbers(dataset) == ["14"]


def test_a_mapping_that_is_nested_too_deep_is_refused(as_user: AsUser) -> None:
    file = SimpleUploadedFile("a.jsonl", jsonl(sums(1)))
    fields = {"file": file, "split": "train", "mapping": "[" * 100_000}
    refused = as_user("curator").post("/api/datasets/sums/import", fields, format="multipart")
    assert refused.status_code == 400, refused.content
    assert [item["field"] for item in refused.json()["error"]["fields"]] == ["mapping"]


def test_hostile_text_is_kept_as_text_or_left_out(as_user: AsUser, dataset: Dataset) -> None:
    client = as_user("curator")
    hostile = "<script>alert(1)</script> ' \" ; DROP TABLE -- {{ 7*7 }} \u202e 🙂"
    rows: Rows = [
        {"query": hostile, "reference": hostile, "domain": hostile},
        {"query": "nul", "reference": "a\0b"},
        {"query": "surrogate", "reference": "\ud800"},
        {"query": "c", "choices": ["a\0", "b"], "reference": "B"},
        {"query": "d", "reference": "1", "domain": "x" * 121},
        {"query": "t", "reference": "1", "tolerance": "nan"},
        {"query": "deep", "reference": json.loads("[" * 200 + "]" * 200)},
    ]
    report = send(client, rows, benchmark="custom").json()
    assert (report["imported"], report["skipped_count"]) == (1, 6)
    task = dataset.tasks.get()
    assert (task.query, task.reference, task.domain) == (hostile, hostile, hostile)
    shown = client.get("/api/datasets/sums/tasks").json()["results"][0]
    assert shown["query"] == hostile
    page = client.get(f"/admin/tasks/dataset/{dataset.pk}/change/").content.decode()
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_the_senders_name_is_never_a_path(as_user: AsUser, dataset: Dataset) -> None:
    send(as_user("curator"), sums(1), name="../../etc/\npasswd.jsonl")
    dataset.refresh_from_db()
    assert "/" not in dataset.source
    assert dataset.source.isprintable()


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"split": "nope"}, "split"),
        ({"split": ""}, "split"),
        ({"benchmark": "No Slug"}, "benchmark"),
        ({"mapping": ["a"]}, "mapping"),
        ({"mapping": {"a": 1}}, "mapping"),
        ({"mapping": {str(n): "x" for n in range(51)}}, "mapping"),
        ({"replace": "perhaps"}, "replace"),
        ({"hub_id": "a/b"}, "file"),
    ],
)
def test_bad_fields_are_named(as_user: AsUser, fields: dict[str, Any], field: str) -> None:
    refused = send(as_user("curator"), sums(1), **fields)
    assert refused.status_code == 400, refused.content
    assert field in [item["field"].split(".")[0] for item in refused.json()["error"]["fields"]]
    assert not Task.objects.exists()


def test_unknown_benchmark_and_unknown_data_set(as_user: AsUser) -> None:
    client = as_user("curator")
    refused = send(client, sums(1), benchmark="magic")
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "unknown_benchmark")
    assert send(client, sums(1), key="nope").status_code == 404


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        ("--x\r\nbroken", "multipart/form-data; boundary=x", 400),
        ("", "multipart/form-data; boundary=x", 400),
        ("anything", "multipart/form-data", 400),
        ("{", "application/json", 400),
        ("[]", "application/json", 400),
        ('{"split": "train"}', "application/json", 400),
        ('{"split": "train", "file": "a.jsonl"}', "application/json", 400),
        ("x", "text/csv", 415),
    ],
)
def test_half_written_uploads(as_user: AsUser, body: str, kind: str, status: int) -> None:
    client = as_user("curator")
    refused = client.generic("POST", "/api/datasets/sums/import", body, content_type=kind)
    assert refused.status_code == status, refused.content
    assert refused.json()["error"]["message"]


def test_too_large_a_file(as_user: AsUser, settings: Any) -> None:
    settings.DATASET_MAX_BYTES = 50
    refused = send(as_user("curator"), sums(1, 2, 3))
    assert refused.status_code == 413
    assert refused.json()["error"]["code"] == "too_large"


class TestManyAtOnce:
    @pytest.fixture
    def free(self, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
        """Whether the connection to the database was free, each time that a file was read."""
        noted: list[bool] = []

        def read(*paths: Any, **options: Any) -> Any:
            noted.append(connection_is_free())
            return read_rows(*paths, **options)

        monkeypatch.setattr("apps.tasks.imports.read_rows", read)
        return noted

    def test_a_user_has_no_more_than_the_limit(
        self, as_user: AsUser, cast: dict[str, User], free: list[bool]
    ) -> None:
        curator = cast["curator"].pk
        with admission.imports.counted(curator), admission.imports.counted(curator):
            refused = send(as_user("curator"), sums(1))
            assert send(as_user("admin"), sums(1)).status_code == 200
        assert (refused.status_code, len(free)) == (429, 1)
        assert refused.json()["error"]["code"] == "too_many_imports"
        assert refused.json()["error"]["remedy"]
        assert send(as_user("curator"), sums(1)).status_code == 200

    def test_nor_have_all_together(
        self, as_user: AsUser, free: list[bool], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(admission, "_importing", threading.BoundedSemaphore(1))
        monkeypatch.setattr(admission, "IMPORT_WAIT_SECONDS", 0.01)
        with admission._importing:
            refused = send(as_user("curator"), sums(1))
        assert (refused.status_code, refused["Retry-After"], free) == (429, "30", [])
        assert refused.json()["error"]["code"] == "imports_busy"
        for content in (b"{", jsonl(sums(1))):  # who fails gives its place back, too
            answer = send(as_user("curator"), content)
        assert answer.status_code == 200

    @pytest.mark.django_db(transaction=True)
    def test_while_it_reads_it_holds_no_connection(self, as_user: AsUser, free: list[bool]) -> None:
        assert send(as_user("curator"), sums(1)).status_code == 200
        assert free == [True]


def test_a_file_larger_than_other_bodies_may_be(as_user: AsUser) -> None:
    rows = [{**row, "answer": "x" * 90_000 + "#### 1"} for row in sums(*range(60))]
    assert len(jsonl(rows)) > 5_000_000
    assert send(as_user("curator"), rows).json()["imported"] == 60


class TestHub:
    @pytest.fixture(autouse=True)
    def hub(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Any:
        with reachable_hub(monkeypatch, tmp_path) as hub:
            hub.files["openai/gsm8k", "main"] = {
                "main/train-00000-of-00001.parquet": as_parquet(sums(1, 2)),
                "main/test-00000-of-00001.parquet": as_parquet(sums(3)),
            }
            yield hub

    def ask(self, as_user: AsUser, **body: Any) -> Any:
        body = {"hub_id": "openai/gsm8k", "split": "test", **body}
        return as_user("curator").post("/api/datasets/sums/import", body)

    def test_by_id_with_the_benchmarks_own_config_and_split(
        self, as_user: AsUser, dataset: Dataset
    ) -> None:
        assert self.ask(as_user).json()["imported"] == 1
        assert numbers(dataset, "test") == ["6"]
        assert self.ask(as_user, split="dev", hub_split="train").json()["imported"] == 2
        dataset.refresh_from_db()
        assert dataset.source == "openai/gsm8k main train"

    def test_files_that_rows_name_come_with_their_tasks(
        self, as_user: AsUser, dataset: Dataset, hub: Any, settings: Settings, tmp_path: Path
    ) -> None:
        settings.DATA_DIR = tmp_path
        rows: Rows = [
            {"Question": "How much?", "Final answer": "3", "file_name": name}
            for name in ("a.csv", "none.csv", "")
        ]
        hub.files["owner/gaia", "main"] = {"test/rows.jsonl": jsonl(rows), "test/a.csv": b"a,3"}
        report = self.ask(as_user, hub_id="owner/gaia", benchmark="gaia").json()
        assert (report["imported"], report["skipped"][0]["row"]) == (2, 2)
        assert "“none.csv” is not beside the rows" in report["skipped"][0]["reason"]
        [stored] = (tmp_path / "files").glob("[!.]*")
        with_file, without = dataset.tasks.all()
        assert with_file.metadata["files"] == [{"name": "a.csv", "sha256": stored.name}]
        assert "files" not in without.metadata
        hub.gated.add("owner/gaia")
        hub.files["owner/gaia", "main"]["test/none.csv"] = b"b,4"
        refused = self.ask(as_user, hub_id="owner/gaia", benchmark="gaia")
        assert (refused.status_code, refused.json()["error"]["code"]) == (400, "gated")
        assert dataset.tasks.count() == 2

    @pytest.mark.parametrize(
        ("body", "status", "code"),
        [
            ({"split": "dev"}, 400, "no_such_split"),
            ({"hub_id": "owner/none"}, 400, "unknown_hub_id"),
            ({"hub_id": "../etc"}, 400, "bad_hub_id"),
            ({"hub_config": "socratic"}, 400, "no_such_split"),
        ],
    )
    def test_what_it_does_not_have(
        self, as_user: AsUser, body: dict[str, str], status: int, code: str
    ) -> None:
        refused = self.ask(as_user, **body)
        assert (refused.status_code, refused.json()["error"]["code"]) == (status, code)
        assert refused.json()["error"]["remedy"]

    @pytest.mark.django_db(transaction=True)
    def test_while_it_sends_no_connection_is_held(
        self, as_user: AsUser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        free = []

        def download(*arguments: Any, **options: Any) -> Any:
            free.append((connection_is_free(), options["seconds"]))
            return hub_download(*arguments, **options)

        monkeypatch.setattr("apps.tasks.source.hub_download", download)
        assert self.ask(as_user).status_code == 200
        assert free == [(True, api.HUB_SECONDS)]

    def test_when_it_is_slow_or_away(
        self, as_user: AsUser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refused() -> tuple[int, str]:
            answer = self.ask(as_user)
            return answer.status_code, answer.json()["error"]["code"]

        with monkeypatch.context() as patched:
            patched.setattr(api, "HUB_SECONDS", 0.0)
            assert refused() == (502, "hub_slow")
        monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
        assert refused() == (502, "hub_unreachable")


def test_a_failure_in_the_middle_leaves_the_split_as_it_was(
    as_user: AsUser, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = as_user("curator")
    send(client, sums(1, 2))
    monkeypatch.setattr(
        "apps.tasks.imports.digest_refresh", lambda **_: (_ for _ in ()).throw(MemoryError)
    )
    with pytest.raises(MemoryError):
        send(client, sums(3), replace=True)
    assert numbers(dataset) == ["2", "4"]


def test_tasks_are_what_core_judges(as_user: AsUser) -> None:
    dataset_create(values={"key": "code", "name": "Code", "benchmark": "mbpp"})
    rows: Rows = [{"text": "Double it.", "test_list": ["assert double(2) == 4"]}]
    send(as_user("curator"), rows, key="code")
    spec = Task.objects.get().spec()
    assert (spec.answer_form, spec.verifier, spec.reference) == ("code", "unit_tests", None)
    assert spec.metadata == {"tests": "assert double(2) == 4"}
    assert BENCHMARKS["mbpp"].task(rows[0]) == spec


def test_an_upload_leaves_no_file_behind(
    as_user: AsUser, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for content in (jsonl(sums(1)), b"{"):
        send(as_user("curator"), content)
    assert list(tmp_path.iterdir()) == []


def test_a_change_of_the_name_meanwhile_does_not_undo_it(as_user: AsUser, dataset: Dataset) -> None:
    stale = Dataset.objects.get(pk=dataset.pk)
    assert send(as_user("curator"), sums(1, 2), name="new.jsonl").status_code == 200
    changed = dataset_update(dataset=stale, values={"name": "Sums!"})
    dataset.refresh_from_db()
    assert (dataset.name, dataset.source) == ("Sums!", "new.jsonl")
    assert dataset.digest
    assert (changed.digest, changed.updated_at) == (dataset.digest, dataset.updated_at)
