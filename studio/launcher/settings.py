"""The user's settings for one start, from the command line and the environment."""

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass

from studio.launcher.errors import USAGE, LauncherError

# The studio starts these itself unless one of these variables names one that already runs.
DATABASE, REDIS, LLM = "DATABASE_URL", "REDIS_URL", "STUDIO_LLM_URL"
SEARCH = "SEARCH_URL"
SECRET_KEY = "SECRET_KEY"  # noqa: S105 - the name of a variable


@dataclass(frozen=True, slots=True)
class UpOptions:
    """`port=0` takes any free one."""

    host: str = "127.0.0.1"
    port: int = 8300
    llm: bool = True
    web_processes: int = 1
    workers: int = 1

    def check(self, environment: Mapping[str, str]) -> None:
        """Raise unless this address may be used. Beyond this machine it needs the owner's
        secrets."""
        if not 0 <= self.port <= 65535:
            raise LauncherError(f"--port {self.port} is not a port. Use 0 to 65535.", code=USAGE)
        if self.web_processes < 1 or self.workers < 1:
            raise LauncherError(
                "The studio needs at least one web and one worker process. Set --web-processes "
                "and --workers to 1 or more.",
                code=USAGE,
            )
        if loopback(self.host):
            return
        missing = [name for name in ("SECRET_KEY", "ALLOWED_HOSTS") if not environment.get(name)]
        if missing:
            raise LauncherError(
                f"--host {self.host} opens the studio to the network. Set {' and '.join(missing)} "
                "in the environment first (docker/env.example says how), or leave --host out.",
                code=USAGE,
            )


def loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def base_environment(data: str, secret_key: str) -> dict[str, str]:
    """The environment that every process gets, before any address is known."""
    # One core each for the numeric libraries of a process: several share the machine.
    defaults = {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false", "SECRET_KEY": secret_key}
    fixed = {
        "STUDIO_DATA_DIR": data,
        "DJANGO_SETTINGS_MODULE": "studio.settings",
        "PYTHONUNBUFFERED": "1",
    }
    # Sessions cut off by a killed terminal would otherwise hand their terminal to every child.
    inherited = {
        name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"
    }
    return {**defaults, **inherited, **fixed}
