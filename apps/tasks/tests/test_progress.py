"""How far an import is, while it goes on: told to who sent it, and to nobody else."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import pytest
from rest_framework.test import APIClient

from apps.accounts.models import User
from apps.accounts.tests.cast import AsUser
from apps.tasks import progress
from apps.tasks.imports import ImportOptions, dataset_import
from apps.tasks.models import Dataset, Task
from apps.tasks.progress import (
    ImportProgress,
    Phase,
    Tell,
    import_progress,
    import_stop,
    progress_told,
)
from apps.tasks.source import Source
from workers.core.benchmarks.readers import read_rows
from workers.core.benchmarks.tests.hub_server import Hub, reachable_hub

from .conftest import as_csv, as_parquet, jsonl, send, sums

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("dataset")]

Told = list[tuple[Phase, int, int]]


@pytest.fixture
def import_id() -> UUID:
    return uuid4()


@pytest.fixture
def at_every_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PAUSE_SECONDS", 0.0)


@pytest.fixture
def notes(monkeypatch: pytest.MonkeyPatch) -> list[ImportProgress]:
    """What is noted from now on, as it is."""
    noted: list[ImportProgress] = []
    note = progress._Teller._note

    def keep(teller: progress._Teller, told: ImportProgress) -> None:
        noted.append(told)
        note(teller, told)

    monkeypatch.setattr(progress._Teller, "_note", keep)
    return noted


def asked(client: APIClient, import_id: UUID) -> Any:
    return client.get(f"/api/datasets/imports/{import_id}")


def slow_source(monkeypatch: pytest.MonkeyPatch, between: Callable[[], object]) -> None:
    """A file of which one row is read after another, and `between` them something else happens."""

    def read(*paths: Path, told: Callable[[int, int], None], **options: Any) -> Any:
        def tell(done: int, total: int) -> None:
            told(done, total)
            between()

        return read_rows(*paths, told=tell, **options)

    monkeypatch.setattr("apps.tasks.imports.read_rows", read)


@pytest.fixture
def another_curator(cast: dict[str, User], make_user: Callable[..., User]) -> None:
    cast["another curator"] = make_user("another", "curator")


@pytest.mark.usefixtures("another_curator")
@pytest.mark.parametrize(
    ("who", "read", "stop"),
    [
        ("curator", 200, 204),
        ("admin", 404, 204),
        ("another curator", 404, 204),
    ],
)
def test_who_is_told(
    as_user: AsUser, cast: dict[str, User], who: str, read: int, stop: int
) -> None:
    """Who may import may stop what is theirs; of another's they learn and change nothing."""
    import_id = uuid4()
    with progress_told(cast["curator"].pk, str(import_id)) as tell:
        tell("reading", 5, 10)
        answer = asked(as_user(who), import_id)
        assert answer.status_code == read
        if read == 200:
            assert answer.json() == {"phase": "reading", "done": 5, "total": 10, "seconds": 0.0}
        stopped = as_user(who).delete(f"/api/datasets/imports/{import_id}")
        assert stopped.status_code == stop
        if who != "curator":
            tell("storing", 1, 10)


@pytest.mark.usefixtures("at_every_note")
def test_while_it_is_read_and_no_longer(
    as_user: AsUser, import_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, seen = as_user("curator"), []
    slow_source(monkeypatch, lambda: seen.append(asked(client, import_id).json()))
    assert asked(client, import_id).status_code == 404
    answer = send(client, sums(1, 2, 3), headers={"Import-Id": str(import_id)})
    assert answer.json()["imported"] == 3
    size = len(jsonl(sums(1, 2, 3)))
    assert [note["phase"] for note in seen] == ["reading"] * 4
    assert [note["done"] * 3 // size for note in seen] == [1, 2, 3, 3]
    assert {note["total"] for note in seen} == {size}
    assert all(one["seconds"] <= other["seconds"] for one, other in pairwise(seen))
    assert asked(client, import_id).status_code == 404


def test_notes_are_few(
    cast: dict[str, User], import_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first and the last of a phase, and in between one in half a second."""
    clock = iter(n / 100 for n in range(1_000))
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    user, dones = cast["curator"].pk, []
    with progress_told(user, str(import_id)) as tell:
        for done in range(1, 121):
            tell("storing", done, 120)
            found = import_progress(user, import_id)
            assert found is not None
            dones.append(found.done)
        tell("finishing", 1, 120)
        found = import_progress(user, import_id)
    assert sorted(set(dones)) == [1, 51, 101, 120]
    assert found is not None
    assert (found.phase, found.done) == ("finishing", 1)


@pytest.mark.parametrize("import_id", ["", "7", "x" * 36, "{}"])
def test_an_id_is_a_uuid(as_user: AsUser, import_id: str) -> None:
    for path in ("import", "import/columns"):
        refused = as_user("curator").post(
            f"/api/datasets/sums/{path}",
            {"hub_id": "a/b", "split": "train"},
            headers={"Import-Id": import_id},
        )
        assert refused.status_code == 400
        assert refused.json()["error"]["fields"][0]["field"] == "Import-Id"


@pytest.mark.usefixtures("at_every_note")
def test_a_stopped_import_changes_nothing(
    as_user: AsUser, import_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = as_user("curator")
    send(client, sums(1))
    stop = client.delete
    slow_source(monkeypatch, lambda: stop(f"/api/datasets/imports/{import_id}"))
    refused = send(client, sums(2, 3), replace=True, headers={"Import-Id": str(import_id)})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "import_stopped")
    assert [task.reference for task in Task.objects.all()] == ["2"]
    monkeypatch.undo()
    again = send(client, sums(2), headers={"Import-Id": str(import_id)})
    assert again.status_code == 200, "who is stopped is not stopped for ever"


@pytest.mark.usefixtures("at_every_note")
def test_stopped_while_it_is_stored(
    cast: dict[str, User], dataset: Dataset, import_id: UUID, tmp_path: Path
) -> None:
    user = cast["curator"].pk
    with progress_told(user, str(import_id)) as tell:

        def stop_in_the_middle(phase: Phase, done: int, total: int) -> None:
            if phase == "storing":
                import_stop(user, import_id)
            tell(phase, done, total)

        with pytest.raises(Exception, match="stopped"):
            taken(dataset, tmp_path, jsonl(sums(1, 2)), stop_in_the_middle)
    assert not Task.objects.exists()


def test_without_redis_it_goes_on(
    as_user: AsUser, import_id: UUID, cast: dict[str, User], redis_leaves: Callable[[], None]
) -> None:
    redis_leaves()
    headers = {"Import-Id": str(import_id)}
    client = APIClient()
    client.force_authenticate(cast["curator"])
    assert send(client, sums(1, 2), headers=headers).json()["imported"] == 2
    assert asked(client, import_id).status_code == 404
    assert client.delete(f"/api/datasets/imports/{import_id}").status_code == 204


@pytest.mark.usefixtures("at_every_note")
def test_without_redis_it_is_tried_once(
    cast: dict[str, User],
    import_id: UUID,
    redis_leaves: Callable[[], None],
    notes: list[ImportProgress],
) -> None:
    redis_leaves()
    with progress_told(cast["curator"].pk, str(import_id)) as tell:
        for done in range(3):
            tell("reading", done, 3)
    assert len(notes) == 1


def taken(
    dataset: Dataset,
    folder: Path,
    content: bytes,
    tell: Tell,
    *,
    name: str = "a.jsonl",
    **more: Any,
) -> None:
    path = folder / name
    path.write_bytes(content)
    options = ImportOptions(split="train", **more)
    dataset_import(dataset=dataset, source=Source((path,), name), options=options, tell=tell)


class TestPhases:
    @pytest.fixture(autouse=True)
    def _small_batches(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("apps.tasks.imports._BATCH", 2)

    def told(self, dataset: Dataset, folder: Path, content: bytes, **more: Any) -> Told:
        told: Told = []
        taken(dataset, folder, content, lambda *note: told.append(note), **more)
        return told

    def phases(self, told: Told) -> Iterator[tuple[Phase, list[tuple[int, int]]]]:
        for phase in dict.fromkeys(phase for phase, _, _ in told):
            yield phase, [(done, total) for each, done, total in told if each == phase]

    def test_each_goes_up_to_its_end_one_after_another(
        self, dataset: Dataset, tmp_path: Path
    ) -> None:
        self.told(dataset, tmp_path, jsonl(sums(1, 2, 3)))
        told = self.told(dataset, tmp_path, jsonl(sums(4, 5, 6, 3, 2)), replace=True)
        found = dict(self.phases(told))
        assert list(found) == ["reading", "comparing", "storing", "finishing"]
        order = list(found)
        assert [phase for phase, _, _ in told] == sorted(
            (phase for phase, _, _ in told), key=order.index
        )
        for notes in found.values():
            assert len({total for _, total in notes}) == 1
            assert [done for done, _ in notes] == sorted(done for done, _ in notes)
            assert notes[-1][0] == notes[-1][1]
        assert found["comparing"] == [(n, 8) for n in range(1, 9)], "three are there"
        assert found["storing"] == [(1, 6), (3, 6), (5, 6), (6, 6)], "one goes, two move"
        assert found["finishing"][-1] == (5, 5)

    def test_a_dry_run_stores_nothing(self, dataset: Dataset, tmp_path: Path) -> None:
        told = self.told(dataset, tmp_path, jsonl(sums(1, 2)), dry_run=True)
        assert [phase for phase, _ in self.phases(told)] == ["reading", "comparing"]

    @pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
    def test_of_other_files(self, dataset: Dataset, tmp_path: Path, name: str) -> None:
        content = {"a.csv": as_csv, "a.parquet": as_parquet}[name](sums(*range(2_000)))
        told = self.told(dataset, tmp_path, content, name=name, dry_run=True)
        notes = dict(self.phases(told))["reading"]
        dones = [done for done, _ in notes]
        assert dones == sorted(dones)
        assert {total for _, total in notes} == {len(content)}
        assert dones[-1] == len(content)
        assert len(set(dones)) > 5


class TestHub:
    @pytest.fixture
    def hub(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
        with reachable_hub(monkeypatch, tmp_path) as running:
            yield running

    @pytest.mark.usefixtures("at_every_note")
    @pytest.mark.parametrize("path", ["import", "import/columns"])
    def test_a_download_is_told(
        self, as_user: AsUser, import_id: UUID, hub: Hub, notes: list[ImportProgress], path: str
    ) -> None:
        content = as_parquet(sums(1, 2))
        hub.files["openai/gsm8k", "main"] = {"main/test-00000-of-00001.parquet": content}
        answer = as_user("curator").post(
            f"/api/datasets/sums/{path}",
            {"hub_id": "openai/gsm8k", "split": "test"},
            headers={"Import-Id": str(import_id)},
        )
        assert answer.status_code == 200, answer.content
        dones = [told.done for told in notes if told.phase == "downloading"]
        assert (dones[0], dones[-1]) == (0, len(content))
        assert {told.total for told in notes if told.phase == "downloading"} == {len(content)}
