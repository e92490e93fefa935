"""Backups of a studio that runs and of one that does not; what is loaded is what was stored."""

import json
import shutil
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.launcher import backup, restore, snapshot
from studio.launcher.errors import LauncherError
from studio.launcher.folder import Folder
from studio.launcher.tests.conftest import on_services

Run = Callable[..., subprocess.CompletedProcess[str]]


def folder_of(place: Path, **files: str) -> Path:
    place.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (place / name).write_text(text)
    return place


def test_checkpoints_files_and_trainings_are_copied_without_what_lives_for_a_moment(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    folder_of(data / "checkpoints" / "one", weights="w")
    folder_of(data / "checkpoints" / ".staging" / "half", weights="half")
    folder_of(data / "files" / "digest", data="d")
    (data / "files" / ".lock").touch()
    folder_of(data / "training" / "job", lock="host:1", tasks="t")
    folder_of(data / "training" / "job" / "state", weights="s")
    folder_of(data / "logs", web="log")
    snapshot.copy_trees(data, tmp_path / "copy")
    assert set(snapshot.digests(tmp_path / "copy")) == {
        "checkpoints/one/weights",
        "files/digest/data",
        "training/job/tasks",
        "training/job/state/weights",
    }


def test_what_lies_elsewhere_behind_a_link_is_copied_too(tmp_path: Path) -> None:
    data, copy = tmp_path / "data", tmp_path / "copy"
    elsewhere = folder_of(tmp_path / "large disk" / "one", weights="w")
    (data / "checkpoints").mkdir(parents=True)
    (data / "checkpoints" / "one").symlink_to(elsewhere)
    (elsewhere / "round").symlink_to(elsewhere)
    other = folder_of(tmp_path / "large disk" / "two", weights="w")
    (elsewhere / "other").symlink_to(other)
    (other / "back").symlink_to(elsewhere)
    (data / "checkpoints" / "gone").symlink_to(tmp_path / "no such disk")
    snapshot.copy_trees(data, copy)
    assert set(snapshot.digests(copy)) == {
        "checkpoints/one/weights",
        "checkpoints/one/other/weights",
    }
    assert not (copy / "checkpoints" / "one").is_symlink()


def test_a_second_copy_takes_what_is_new_and_leaves_the_rest(tmp_path: Path) -> None:
    data, copy = tmp_path / "data", tmp_path / "copy"
    state = folder_of(data / "training" / "job" / "state", weights="step 1")
    snapshot.copy_trees(data, copy)
    (state / "weights").write_text("step 2")
    folder_of(data / "checkpoints" / "new", weights="n")
    snapshot.copy_trees(data, copy)
    assert (copy / "training" / "job" / "state" / "weights").read_text() == "step 1"
    assert (copy / "checkpoints" / "new" / "weights").read_text() == "n"


def test_state_that_is_written_meanwhile_is_copied_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that names another, as `checkpoint.json` names its weights, never loses it."""
    monkeypatch.setattr(snapshot, "PAUSE_SECONDS", 0.01)
    state = folder_of(tmp_path / "data" / "training" / "job" / "state")
    ended = threading.Event()

    def save(step: int) -> None:
        (state / f"weights-{step}").write_text("w" * 50_000)
        (state / ".new").write_text(f"weights-{step}")
        (state / ".new").replace(state / "checkpoint.json")
        (state / f"weights-{step - 1}").unlink(missing_ok=True)

    def train() -> None:
        step = 1
        while not ended.wait(0.004):
            step += 1
            save(step)

    save(1)
    training = threading.Thread(target=train)
    training.start()
    try:
        for number in range(10):
            copy = tmp_path / f"copy{number}"
            snapshot.copy_trees(tmp_path / "data", copy)
            copied = copy / "training" / "job" / "state"
            assert (copied / (copied / "checkpoint.json").read_text()).stat().st_size == 50_000
    finally:
        ended.set()
        training.join()


def manifest(place: Path, **values: object) -> Path:
    given = {"made_at": "2026", "version": "0.1.0", "postgres": "18", "migrations": [], "format": 1}
    folder_of(place, **{"manifest.json": json.dumps({**given, "digests": {}, **values})})
    return place


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"format": 2}, "A newer version of MAS Studio made this backup"),
        ({"migrations": ["runs.9999_future"]}, "it has runs.9999_future, which"),
        ({"surprise": 1}, "is damaged"),
    ],
)
def test_a_backup_that_cannot_be_loaded_says_why(
    tmp_path: Path, values: dict[str, object], words: str
) -> None:
    with pytest.raises(LauncherError, match=words):
        restore.checked(manifest(tmp_path / "backup", **values))


def test_a_folder_that_is_no_backup_is_refused_before_anything_starts(
    run: Run, data: Path, tmp_path: Path
) -> None:
    done = run("restore", str(tmp_path))
    assert done.returncode == 1
    assert "is not a complete backup" in done.stderr
    assert not data.exists()


def test_a_backup_needs_a_folder_of_its_own(run: Run, data: Path, tmp_path: Path) -> None:
    folder_of(tmp_path / "full", thesis="forty pages")
    done = run("backup", str(tmp_path / "full"))
    assert (done.returncode, "is not empty" in done.stderr) == (1, True)
    assert not data.exists()


def test_half_a_restore_is_no_state_to_back_up(run: Run, data: Path, tmp_path: Path) -> None:
    """The database of the backup is in place, and the files are still the ones from before."""
    folder_of(Folder(data).restored, ready="")
    done = run("backup", str(tmp_path / "place"))
    assert done.returncode == 1
    assert "A restore was interrupted and is not finished" in done.stderr
    assert not (data / "postgres").exists()
    assert not (tmp_path / "place").exists()


@pytest.mark.parametrize("command", ["backup", "restore"])
def test_a_second_one_waits_for_the_first(
    run: Run, data: Path, tmp_path: Path, command: str
) -> None:
    place = tmp_path / "place"
    if command == "restore":
        manifest(place)
    with backup.alone(Folder(data)):
        done = run(command, str(place))
    assert done.returncode == 1
    assert "Another backup or restore of this studio is running" in done.stderr
    assert not (data / "postgres").exists()


@pytest.mark.parametrize("damage", ["changed", "missing"])
def test_a_damaged_backup_is_not_loaded(tmp_path: Path, damage: str) -> None:
    place = folder_of(tmp_path / "backup", **{"database.dump": "whole"})
    digests = snapshot.digests(place)
    found = restore.checked(manifest(place, digests=digests))
    restore.check_digests(place, found)
    if damage == "changed":
        (place / "database.dump").write_text("wh")
    else:
        (place / "database.dump").unlink()
    with pytest.raises(LauncherError, match="The backup is damaged"):
        restore.check_digests(place, found)


@pytest.mark.parametrize("moment", ["before", "one tree done", "both done"])
def test_files_that_were_half_in_place_are_put_there_by_the_next_start(
    tmp_path: Path, moment: str
) -> None:
    folder = Folder(tmp_path)
    folder.make(need_mb=0)
    secrets = folder.secrets()
    for tree in snapshot.TREES:
        folder_of(tmp_path / tree, old="old")
        folder_of(tmp_path / "restored" / tree, new="new")
    folder_of(tmp_path / "restored", secret_key="of the backup", ready="")
    for tree in snapshot.TREES[: {"before": 0, "one tree done": 1, "both done": 2}[moment]]:
        (tmp_path / "before-restore").mkdir(exist_ok=True)
        (tmp_path / tree).rename(tmp_path / "before-restore" / tree)
        (tmp_path / "restored" / tree).rename(tmp_path / tree)
    assert folder.restore_waits()
    restore._files_in_place(folder)
    for tree in snapshot.TREES:
        assert [path.name for path in (tmp_path / tree).iterdir()] == ["new"]
        assert [path.name for path in (tmp_path / "before-restore" / tree).iterdir()] == ["old"]
    assert not folder.restore_waits()
    assert not (tmp_path / "restored").exists()
    assert folder.secrets().secret_key == "of the backup"
    assert folder.secrets().postgres_owner == secrets.postgres_owner


MAKE = "CREATE TABLE runs (question text); INSERT INTO runs VALUES ('{}');"
DJANGO = "CREATE TABLE django_migrations (app text, name text);"


@pytest.mark.processes
@pytest.mark.timeout(300)
def test_what_a_backup_has_is_there_again_and_what_came_later_is_kept_aside(
    run: Run, data: Path, tmp_path: Path
) -> None:
    place = tmp_path / "backups" / "monday"

    def execute(statements: str) -> str:
        code = (
            "import os, psycopg\n"
            "with psycopg.connect(os.environ['DATABASE_URL']) as connection:\n"
            f"    found = connection.execute({statements!r})\n"
            "    print(found.fetchall() if found.description else '')"
        )
        done = run(code=on_services(code))
        assert done.returncode == 0, done.stderr
        return done.stdout

    execute(DJANGO + MAKE.format("monday"))
    folder_of(data / "checkpoints" / "policy", weights="monday")
    key = json.loads((data / "secrets.json").read_text())["secret_key"]
    done = run("backup", str(place))
    assert done.returncode == 0, done.stderr
    assert "1 checkpoint, 0 trainings" in done.stdout
    assert place.stat().st_mode & 0o777 == 0o700
    execute("UPDATE runs SET question = 'tuesday'")
    folder_of(data / "checkpoints" / "policy", weights="tuesday")

    done = run("restore", str(place))
    assert done.returncode == 0, done.stderr
    both = execute("SELECT question, datname FROM runs, pg_database")
    assert "('monday', 'studio_before')" in both
    assert (data / "checkpoints" / "policy" / "weights").read_text() == "monday"
    assert (data / "before-restore" / "checkpoints" / "policy" / "weights").read_text() == "tuesday"

    shutil.rmtree(data)  # another machine
    done = run("restore", str(place))
    assert done.returncode == 0, done.stderr
    assert "monday" in execute("SELECT question FROM runs")
    assert json.loads((data / "secrets.json").read_text())["secret_key"] == key
