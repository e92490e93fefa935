"""`restore FOLDER`: replaces what is stored with a backup. The studio may be running.

    check the backup ─▶ load it beside ─▶ mark it ready ─▶ put it in place ─▶ migrate ─▶ start

Loading changes nothing that is in use. Putting it in place renames two databases in one
transaction, then two folders. The mark stays until both are done, so the next start finishes what a
killed one began. The data from before is kept until the next backup is loaded.
"""

import contextlib
import json
import os
import shutil
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql

from studio.launcher import migrations, snapshot
from studio.launcher.backup import (
    DUMP,
    FILES,
    FORMAT,
    MANIFEST,
    SECRET_KEY,
    Manifest,
    alone,
    environment_of,
    postgres_program,
    told,
)
from studio.launcher.console import Job, Progress
from studio.launcher.errors import LauncherError, disk_space
from studio.launcher.folder import READY, ROOT, Folder
from studio.launcher.settings import DATABASE

LOADED, BEFORE = "studio_restored", "studio_before"
"""The names of the loaded database and of the one from before."""
KEPT = "before-restore"
"""The same for the files from before, below the data folder."""
TRIES, PAUSE_SECONDS = 20, 0.25
START_SECONDS = 300.0


def restore(source: Path) -> int:
    """Put a backup in place. Problems are raised as LauncherError; then nothing is changed."""
    manifest = checked(source)
    folder = Folder()
    with alone(folder), Progress() as progress:
        job = progress.begin("Loading the backup")
        job.note = "reading it"
        check_digests(source, manifest)
        with environment_of(folder) as environment:
            url = environment[DATABASE]
            running = folder.running()
            pid = running.pid if running else 0  # 0: only this command holds the folder
            if folder.restore_waits() and not pid:
                finish(folder, url)  # of a restore that was killed
            with _whole_or_gone(folder, url):
                _load_all(source, folder, url, job)
            job.note = "putting it in place"
            if pid:
                _by_the_running_studio(folder, pid)
            else:
                finish(folder, url)
            kept = [str(folder.path / KEPT)]
            kept += [f"the database {BEFORE}"] if is_ours(folder, url) else []
        progress.end(job)
    print(f"The backup of {manifest.made_at} is loaded ({told(source)}).")
    print(f"The data from before is kept until the next restore: {' and '.join(kept)}.")
    return 0


def checked(source: Path) -> Manifest:
    """The manifest of a backup that this code can load. Raises LauncherError."""
    try:
        given = json.loads((source / MANIFEST).read_text())
        if dict(given).get("format", FORMAT) != FORMAT:
            raise LauncherError(
                f"A newer version of MAS Studio made this backup (format {given['format']}). "
                "Load it with that version."
            )
        manifest = Manifest(**given)
    except FileNotFoundError:
        raise LauncherError(
            f"{source} is not a complete backup: it has no {MANIFEST}. Name a folder that "
            "bin/studio backup made."
        ) from None
    except (ValueError, TypeError) as error:
        raise LauncherError(f"{source / MANIFEST} is damaged. Use another backup.") from error
    code = migrations.of_code(ROOT)
    labels = {name.split(".")[0] for name in code}
    unknown = [n for n in manifest.migrations if n not in code and n.split(".")[0] in labels]
    if unknown:
        raise LauncherError(
            f"A newer version of MAS Studio made this backup: it has {migrations.named(unknown)}, "
            "which this version does not know. Load it with that version."
        )
    return manifest


def check_digests(source: Path, manifest: Manifest) -> None:
    """Raise if a file of the backup is missing or has changed."""
    for name, wanted in manifest.digests.items():
        path = source / name
        if not path.is_file():
            raise LauncherError(f"The backup is damaged: {path} is missing. Use another backup.")
        if snapshot.digest(path) != wanted:
            raise LauncherError(f"The backup is damaged: {path} has changed. Use another backup.")


@contextlib.contextmanager
def _whole_or_gone(folder: Folder, url: str) -> Iterator[None]:
    """Remove what was half loaded: it may have filled the disk."""
    try:
        yield
    except BaseException:  # Ctrl-C as well
        shutil.rmtree(folder.restored, ignore_errors=True)
        if is_ours(folder, url):
            with contextlib.suppress(psycopg.Error), owner(folder, url) as connection:
                drop(connection, LOADED)
        raise


def _load_all(source: Path, folder: Folder, url: str, job: Job) -> None:
    """Load beside what is in use, or into the empty database of DATABASE_URL. At the end, mark the
    backup as ready: from then on the next start finishes the restore."""
    own = is_ours(folder, url)
    if not own and migrations.of_database(url):
        raise LauncherError(
            "The database of DATABASE_URL is not empty. Stop the studio, make an empty "
            "database, set DATABASE_URL to it, and restore again."
        )
    _copy(source, folder)
    job.note = "database"
    if own:
        with owner(folder, url) as connection:
            drop(connection, LOADED)
            statement = sql.SQL("CREATE DATABASE {} OWNER studio").format(sql.Identifier(LOADED))
            connection.execute(statement)
        _load(source, url, database=LOADED)
    else:
        _load(source, url, "--single-transaction")
    shutil.rmtree(folder.path / KEPT, ignore_errors=True)
    (folder.restored / READY).touch()


def _load(source: Path, url: str, *options: str, database: str = "") -> None:
    fixed = ("--no-owner", "--no-privileges", "--no-comments", "--exit-on-error")
    arguments = (*fixed, *options, "--dbname=service=studio", str(source / DUMP))
    postgres_program(url, "pg_restore", *arguments, database=database)


def _copy(source: Path, folder: Folder) -> None:
    waiting = folder.restored
    shutil.rmtree(waiting, ignore_errors=True)
    need = snapshot.size_mb(source / FILES) + 3 * (source / DUMP).stat().st_size // 1_000_000
    disk_space(folder.path, need_mb=need + 100, purpose="the backup")
    waiting.mkdir(mode=0o700)
    for tree in snapshot.TREES:
        (waiting / tree).mkdir()
        if (source / FILES / tree).is_dir():
            shutil.copytree(source / FILES / tree, waiting / tree, dirs_exist_ok=True)
    shutil.copy(source / SECRET_KEY, waiting / SECRET_KEY)
    (waiting / SECRET_KEY).chmod(0o600)


def _by_the_running_studio(folder: Folder, pid: int) -> None:
    """Let the studio stop its parts, put the backup in place and start again; wait for that."""
    os.kill(pid, signal.SIGUSR1)
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        running = folder.running()
        if running is None:
            raise LauncherError("The studio stopped. Start it again to finish the restore.")
        if running.ready and not folder.restore_waits():
            return
        time.sleep(PAUSE_SECONDS)
    raise LauncherError(
        f"The studio did not start within {START_SECONDS:.0f} s with the backup. See the "
        "terminal it runs in."
    )


def finish(folder: Folder, url: str) -> None:
    """Put a loaded backup in place, or the rest of it. No part of the studio may be running."""
    if is_ours(folder, url):
        with owner(folder, url) as connection:
            if exists(connection, LOADED):
                drop(connection, BEFORE)
                _swap(connection)
    _files_in_place(folder)


def _files_in_place(folder: Folder) -> None:
    """Rename each folder that still waits. One that is not there is already in place."""
    waiting, kept = folder.restored, folder.path / KEPT
    kept.mkdir(mode=0o700, exist_ok=True)
    for tree in snapshot.TREES:
        if not (waiting / tree).exists():
            continue
        if (folder.path / tree).exists():
            (folder.path / tree).rename(kept / tree)
        (waiting / tree).rename(folder.path / tree)
    folder.keep(replace(folder.secrets(), secret_key=(waiting / SECRET_KEY).read_text()))
    migrations.forget(folder.path)
    (waiting / READY).unlink()
    shutil.rmtree(waiting, ignore_errors=True)


def _swap(connection: psycopg.Connection) -> None:
    """Change both names in one transaction, once no program is connected."""
    for _ in range(TRIES):
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname IN ('studio', %s) AND pid <> pg_backend_pid()",
            [LOADED],
        )
        with contextlib.suppress(psycopg.errors.ObjectInUse), connection.transaction():
            for name, new in (("studio", BEFORE), (LOADED, "studio")):
                statement = sql.SQL("ALTER DATABASE {} RENAME TO {}")
                connection.execute(statement.format(*map(sql.Identifier, (name, new))))
            return
        time.sleep(PAUSE_SECONDS)
    raise LauncherError(
        "Another program has the database open. End that program and restore again."
    )


def is_ours(folder: Folder, url: str) -> bool:
    """Whether the studio started this database itself. If not, DATABASE_URL names it."""
    return urlsplit(url).password == folder.secrets().postgres_studio


def owner(folder: Folder, url: str) -> psycopg.Connection:
    """Connect to our own server as its owner."""
    parts = urlsplit(url)
    netloc = f"postgres:{folder.secrets().postgres_owner}@{parts.hostname}:{parts.port}"
    own = urlunsplit(parts._replace(netloc=netloc, path="/postgres"))
    return psycopg.connect(own, autocommit=True, connect_timeout=10)


def exists(connection: psycopg.Connection, name: str) -> bool:
    found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone()
    return found is not None


def drop(connection: psycopg.Connection, name: str) -> None:
    statement = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
    connection.execute(statement)
