"""`backup FOLDER`: copies database, checkpoints, trainings and files. The studio may be running.

FOLDER/database.dump        pg_dump's own format, of one moment
FOLDER/files/checkpoints/   FOLDER/files/training/
FOLDER/secret_key           what links and webhooks are signed with
FOLDER/manifest.json        written last: a folder without it is not a backup
"""

import datetime
import fcntl
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from studio.launcher import migrations, snapshot
from studio.launcher.console import Progress
from studio.launcher.database import VERSION as POSTGRES
from studio.launcher.database import programs
from studio.launcher.errors import LauncherError, disk_space
from studio.launcher.folder import Folder, write_private
from studio.launcher.install.entry import VERSION
from studio.launcher.session import session
from studio.launcher.settings import DATABASE

FORMAT = 1
DUMP, FILES, SECRET_KEY, MANIFEST = "database.dump", "files", "secret_key", "manifest.json"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup contains. `digests`: path below its folder → SHA-256."""

    made_at: str
    version: str
    postgres: str
    migrations: list[str]
    digests: dict[str, str] = field(repr=False)
    format: int = FORMAT


def backup(target: Path) -> int:
    """Write a backup into a new or empty folder. Problems are raised as LauncherError, OSError."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise LauncherError(f"{target} is not empty. Name a new folder; each backup needs its own.")
    folder = Folder()
    with _whole(folder), environment_of(folder) as environment, Progress() as progress:
        job = progress.begin("Making a backup")
        need = database_mb(environment[DATABASE])
        need += snapshot.size_mb(*(folder.path / tree for tree in snapshot.TREES))
        disk_space(target.absolute(), need_mb=need + 50, purpose="the backup")
        target.mkdir(mode=0o700, parents=True, exist_ok=True)
        target.chmod(0o700)
        files = target / FILES
        files.mkdir()
        job.note = "checkpoints, trainings and files"
        snapshot.copy_trees(folder.path, files)
        job.note = "database"
        known = sorted(migrations.of_database(environment[DATABASE]))
        dump = str(target / DUMP)
        postgres_program(
            environment[DATABASE], "pg_dump", "--format=custom", "--no-owner", "--file", dump
        )
        job.note = "checkpoints, trainings and files"
        snapshot.copy_trees(folder.path, files)
        write_private(target / SECRET_KEY, environment["SECRET_KEY"])
        job.note = "checking the copy"
        postgres_program(environment[DATABASE], "pg_restore", "--list", dump)
        made_at = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        manifest = Manifest(made_at, VERSION, POSTGRES, known, snapshot.digests(target))
        write_private(target / MANIFEST, json.dumps(asdict(manifest), indent=1))
        progress.end(job)
    print(f"The backup is in {target} ({told(target)}).")
    print(f"To restore it: bin/studio restore {target}")
    return 0


@contextmanager
def _whole(folder: Folder) -> Iterator[None]:
    """As `alone`. Raises after a restore that was killed: the database may be in place already, and
    the files not."""
    with alone(folder):
        if folder.restore_waits():
            raise LauncherError(
                "A restore was interrupted and is not finished. Start the studio again (bin/studio "
                "up): it finishes the restore. Then make the backup."
            )
        yield


def told(target: Path) -> str:
    """The size of a backup, in words."""
    parts = [f"database {(target / DUMP).stat().st_size / 1e6:,.1f} MB"]
    for tree, one, many in (
        ("checkpoints", "checkpoint", "checkpoints"),
        ("training", "training", "trainings"),
        ("files", "file of tasks", "files of tasks"),
    ):
        place = target / FILES / tree
        count = sum(1 for entry in place.iterdir() if entry.is_dir()) if place.is_dir() else 0
        parts.append(f"{count} {one if count == 1 else many}")
    return ", ".join(parts)


@contextmanager
def alone(folder: Folder) -> Iterator[None]:
    """Allow one backup or restore at once: a second would copy or drop what the first one moves."""
    folder.make()
    descriptor = os.open(folder.path / "backup.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise LauncherError(
            "Another backup or restore of this studio is running. Try again when it has ended."
        ) from None
    finally:
        os.close(descriptor)


@contextmanager
def environment_of(folder: Folder) -> Iterator[dict[str, str]]:
    """The URL of the database: the running studio's, or that of services started for this."""
    running = folder.running()
    if running is not None and running.environment:
        yield running.environment
        return
    with session(folder, durable=True) as services, services.signals.interrupting():
        yield services.environment


def database_mb(url: str) -> int:
    import psycopg

    try:
        with psycopg.connect(url, connect_timeout=10) as connection:
            row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    except psycopg.Error as error:
        raise LauncherError(
            "The database does not answer. If the studio is starting, try again in a moment."
        ) from error
    return int(row[0]) // 1_000_000 if row else 0


def postgres_program(url: str, program: str, *arguments: str, database: str = "") -> Sequence[str]:
    """Run a PostgreSQL program on a database and return its output lines. Raises LauncherError.

    The URL goes through a private file: others can read a command line and an environment.
    """
    from psycopg.conninfo import conninfo_to_dict

    parameters = {name: str(value) for name, value in conninfo_to_dict(url).items()}
    if database:
        parameters["dbname"] = database
    lines = "".join(f"{name}={value}\n" for name, value in parameters.items())
    with tempfile.TemporaryDirectory(prefix="mas-studio-") as place:
        service = Path(place) / "service.conf"
        write_private(service, f"[studio]\n{lines}")
        done = subprocess.run(
            [str(programs() / program), *arguments],
            env={**os.environ, "PGSERVICEFILE": str(service), "PGSERVICE": "studio"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if "error" in line.lower()]
        why = (said or done.stderr.splitlines() or ["It printed no reason."])[0]
        raise LauncherError(f"{program} failed: {why}")
    return done.stdout.splitlines()
