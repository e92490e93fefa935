"""Each thing a user can run into gives one line that names the cause and the way out."""

import errno
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from studio.launcher import up
from studio.launcher.cache import Cache
from studio.launcher.database import Database
from studio.launcher.errors import LauncherError, disk_space, explained
from studio.launcher.folder import Folder, Running
from studio.launcher.settings import UpOptions
from studio.launcher.tests.conftest import on_services

Run = Callable[..., subprocess.CompletedProcess[str]]
Open = Callable[[], subprocess.CompletedProcess[str]]


def assert_one_line(done: subprocess.CompletedProcess[str], *words: str, code: int = 1) -> None:
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    # A busy machine is told how long it takes.
    lines = [line for line in done.stderr.splitlines() if not line.startswith("  … ")]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("bin/studio: ")
    for word in words:
        assert word in lines[0]


@pytest.mark.processes
def test_a_port_in_use_is_named_with_another_to_take(run: Run, taken_port: int) -> None:
    done = run("up", "--port", str(taken_port))
    assert_one_line(done, f"Port {taken_port} on 127.0.0.1 is in use", f"--port {taken_port + 1}")


@pytest.mark.processes
def test_a_command_before_the_first_start_is_told_of_it(run: Run, data: Path) -> None:
    done = run(code=on_services("raise SystemExit(1)"))
    assert done.returncode == 1
    assert done.stderr.endswith(f"{data} has no tables yet. Run `bin/studio up` once first.\n")


@pytest.mark.processes
def test_a_folder_that_cannot_be_made_names_itself_and_the_setting(run: Run) -> None:
    done = run("up", "--port", "0", STUDIO_DATA_DIR="/sys/mas-studio")
    assert_one_line(done, "There is no permission to write /sys/mas-studio", "STUDIO_DATA_DIR")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 40 MB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=40m", "none", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small file system needs root")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.mark.processes
def test_a_full_disk_is_said_before_anything_starts(run: Run, small_disk: Path) -> None:
    done = run("up", "--port", "0", STUDIO_DATA_DIR=str(small_disk / "data"))
    assert_one_line(done, str(small_disk / "data"), "41 MB free", "Free some disk space")


@pytest.mark.processes
@pytest.mark.parametrize(
    ("name", "url", "words"),
    [
        ("DATABASE_URL", "postgresql://u:hunter2@h/d?sslmod=require", "sslmod"),
        ("REDIS_URL", "redis://:hunter2#x@h/0", "write # as %23"),
    ],
)
def test_a_url_that_is_not_understood_stops_the_start(
    run: Run, name: str, url: str, words: str
) -> None:
    done = run("up", "--port", "0", **{name: url})
    assert_one_line(done, f"{name} can't be read", words, code=2)
    assert "hunter2" not in done.stderr


@pytest.mark.processes
def test_a_folder_that_is_no_database_is_left_alone(run: Run, data: Path) -> None:
    (data / "postgres").mkdir(parents=True)
    precious = data / "postgres" / "thesis.txt"
    precious.write_text("forty pages")
    done = run("up", "--port", "0")
    assert_one_line(done, f"{data}/postgres is not a PostgreSQL data folder", "mv ", "backup")
    assert precious.read_text() == "forty pages"


@pytest.mark.processes
def test_a_database_of_another_version_says_which(run: Run, data: Path) -> None:
    (data / "postgres").mkdir(parents=True)
    (data / "postgres" / "PG_VERSION").write_text("16\n")
    assert_one_line(run("up", "--port", "0"), "PostgreSQL 16", "PostgreSQL 18", "mv ")


@pytest.mark.processes
def test_a_database_that_does_not_open_says_what_is_wrong_and_the_way_out(
    open_data: Open, data: Path
) -> None:
    assert open_data().returncode == 0
    secrets = data / "secrets.json"
    kept = secrets.read_text()
    secrets.unlink()
    assert_one_line(open_data(), "secrets.json", "do not open")
    secrets.write_text(kept)
    (data / "postgres" / "global" / "pg_control").write_bytes(b"\0" * 8192)
    damaged = f"The database in {data}/postgres does not start: "
    assert_one_line(open_data(), damaged, "incompatible", "mv ")


@pytest.mark.parametrize("given", [{}, {"SECRET_KEY": "x" * 50}, {"ALLOWED_HOSTS": "a.example"}])
def test_the_network_is_refused_without_secrets_of_the_owners(given: dict[str, str]) -> None:
    with pytest.raises(LauncherError, match="opens the studio to the network") as caught:
        UpOptions(host="0.0.0.0").check(given)  # noqa: S104 - the case under test
    assert caught.value.code == 2
    for name in {"SECRET_KEY", "ALLOWED_HOSTS"} - set(given):
        assert name in str(caught.value)


def test_the_network_is_allowed_with_them_and_loopback_always() -> None:
    UpOptions(host="0.0.0.0").check({"SECRET_KEY": "x", "ALLOWED_HOSTS": "a"})  # noqa: S104
    for host in ("127.0.0.1", "localhost", "::1", "127.8.8.8"):
        UpOptions(host=host).check({})


@pytest.mark.parametrize("arguments", [[], ["dance"], ["up", "--port", "many"], ["ask"]])
def test_bad_usage_ends_with_two(run: Run, arguments: list[str]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert "usage" in done.stderr


def test_a_port_outside_the_range(run: Run) -> None:
    assert_one_line(run("up", "--port", "70000"), "--port 70000", code=2)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "The disk was full"),
        (errno.EACCES, "There is no permission"),
        (errno.EROFS, "read-only"),
    ],
)
def test_errors_of_the_system_become_sentences(number: int, words: str) -> None:
    line = explained(OSError(number, os.strerror(number), "/data/file"))
    assert line is not None
    assert words in str(line)
    assert "/data/file" in str(line)


def test_other_errors_of_the_system_stay_what_they_are() -> None:
    assert explained(OSError(errno.EBADF, "bad descriptor")) is None


def test_the_disk_is_measured_where_the_folder_will_be(tmp_path: Path) -> None:
    disk_space(tmp_path / "not" / "yet" / "made", need_mb=1, purpose="This test")
    with pytest.raises(LauncherError, match="needs 999999999 MB"):
        disk_space(tmp_path, need_mb=999_999_999, purpose="This test")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("PANIC:  could not write to file: No space left on device", "is full"),
        ("PANIC:  could not write to file: Disk quota exceeded", "is full"),
        ('FATAL:  could not open file "global/pg_filenode.map"', "pg_filenode.map"),
        ("2026 UTC [7] client backend FATAL:  could not open file: Permission denied", None),
        ("[7] dead-end client backend FATAL:  sorry, too many clients already", None),
        ("FATAL:  the database system is not yet accepting connections", None),
        ("FATAL:  the database system is in recovery mode", None),
        ("FATAL:  the database system is starting up", None),
        ('[9] startup FATAL:  invalid page in block 7 of relation "base/5/1"', "Move it away"),
        ("[9] startup PANIC:  could not locate a valid checkpoint record", "restore FOLDER"),
        ("FATAL:  pre-existing shared memory block is still in use", None),
        ("LOG:  database system is ready to accept connections", None),
    ],
)
def test_the_last_words_of_the_database_are_understood(
    line: str, words: str | None, tmp_path: Path
) -> None:
    (tmp_path / "PG_VERSION").write_text("18\n")
    (server,) = Database(tmp_path, tmp_path, 5432, "owner", "studio").parts({})
    said = server.explain(["LOG:  starting PostgreSQL 18", line])
    assert (said is None) if words is None else (said is not None and words in said)


@pytest.mark.parametrize(
    "line",
    [
        "[3] postmaster FATAL:  could not map anonymous shared memory: Cannot allocate memory",
        '[3] postmaster FATAL:  could not open file "postmaster.pid": Read-only file system',
        "[3] startup FATAL:  out of file descriptors: Too many open files",
        '[3] startup PANIC:  could not open control file "pg_control": Read-only file system',
        "[3] startup PANIC:  could not read control file: Input/output error",
        '[3] postmaster FATAL:  could not create lock file "postmaster.pid": Permission denied',
        "[3] postmaster FATAL:  could not create shared memory segment: No space left on device",
    ],
)
@pytest.mark.parametrize(
    "after", [[], ["[9] startup PANIC:  could not locate a valid checkpoint record"]]
)
def test_what_passes_is_no_reason_for_an_empty_database(
    line: str, after: list[str], tmp_path: Path
) -> None:
    """Not even where the server takes it for damage in its next line."""
    (tmp_path / "PG_VERSION").write_text("18\n")
    (server,) = Database(tmp_path, tmp_path, 5432, "owner", "studio").parts({})
    said = server.explain([line, *after])
    assert said is not None
    assert "The stored data was not changed" in said
    assert "empty" not in said
    assert "mv " not in said


def test_a_dump_in_the_folder_of_redis_cannot_keep_it_from_starting(tmp_path: Path) -> None:
    (tmp_path / "dump.rdb").write_bytes(b"REDIS0011 and then nothing of use")
    part = Cache(tmp_path, tmp_path, 6379, "secret").part({})
    part.before()
    assert not (tmp_path / "dump.rdb").exists()
    said = part.explain(["# Can't open or create append-only dir: Read-only file system"])
    assert said == f"{tmp_path} is on a read-only file system. Make it writable and start again."
    assert part.explain(["* Ready to accept connections"]) is None


def test_a_disk_that_fills_up_is_said_while_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert up.disk_low(Folder(tmp_path)) == ""
    monkeypatch.setattr(up, "LOW_DISK_MB", 10**9)
    assert up.disk_low(Folder(tmp_path)).startswith("The disk of ")


def test_what_runs_is_announced_without_anybodys_keys(tmp_path: Path) -> None:
    given = {
        "DATABASE_URL": "postgresql://a",
        "RUNS_KEEP_DAYS": "90",
        "STUDIO_LLM_MODEL": "m",
        "OPENAI_API_KEY": "sk-secret",
        "STUDIO_OPENAI_API_KEY": "sk-secret",
        "RUN_API_TOKEN": "secret",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "PATH": "/bin",
        "SECRET_KEY_OF_MINE": "secret",
    }
    Folder(tmp_path).announce(Running(1, "http://here", given))
    kept = json.loads((tmp_path / "running.json").read_text())["environment"]
    assert set(kept) == {"DATABASE_URL", "RUNS_KEEP_DAYS", "STUDIO_LLM_MODEL"}
