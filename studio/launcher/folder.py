"""The data folder: its paths, its secrets, its lock, and the studio that runs from it."""

import fcntl
import json
import os
import re
import secrets
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from studio.launcher.errors import RUNNING, LauncherError, disk_space

ROOT = Path(__file__).resolve().parent.parent.parent
NEED_MB = 500
READY = "ready"
"""The file that marks a loaded backup as complete."""
SETTING = re.compile(
    r"(?!.*_API_(?:KEY|TOKEN)$)"
    r"(?:(STUDIO|DATABASE|REDIS|RUNS?|EVALUATION|TRAINING|ANSWERS|DATASET|WEBHOOK|CSRF)_"
    r"|(SECRET_KEY|ALLOWED_HOSTS|SHARE_LINKS|STREAMS_PER_USER|EXPORTS_PER_USER|HF_ENDPOINT"
    r"|CORPUS_DEFAULTS|SEARCH_URL|SEARCH_ALLOW_PRIVATE"
    r"|DJANGO_SETTINGS_MODULE|OMP_NUM_THREADS|TOKENIZERS_PARALLELISM|PYTHONUNBUFFERED)$)"
)
"""Variables another command needs to see the running studio as that studio sees itself. Never the
key of an endpoint, whatever its name begins with."""


@dataclass(frozen=True, slots=True)
class Secrets:
    """Made once per data folder and never shown."""

    secret_key: str
    postgres_owner: str
    postgres_studio: str
    redis: str


@dataclass(frozen=True, slots=True)
class Running:
    """What a supervisor says about itself while it runs."""

    pid: int
    address: str
    environment: dict[str, str] = field(repr=False)
    ready: bool = False


class Folder:
    """`.studio`, or the folder in STUDIO_DATA_DIR. Only its owner can enter it."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = (path or Path(os.environ.get("STUDIO_DATA_DIR") or ROOT / ".studio")).absolute()
        self.logs = self.path / "logs"
        self.postgres = self.path / "postgres"
        self.redis = self.path / "redis"
        self.restored = self.path / "restored"
        self._state = self.path / "running.json"
        self._lock_file: int | None = None

    def make(self, *, need_mb: int = NEED_MB) -> None:
        """Create the folder, or raise one line that says why it can't be used."""
        if self.path.exists() and not self.path.is_dir():
            raise LauncherError(
                f"{self.path} is a file, not a folder. Move it away and start again."
            )
        for place in (self.path, self.logs, self.redis):
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path.chmod(0o700)
        disk_space(self.path, need_mb=need_mb, purpose="MAS Studio")

    def restore_waits(self) -> bool:
        """Whether a backup is loaded and not yet in place (`restore.py`)."""
        return (self.restored / READY).exists()

    def secrets(self) -> Secrets:
        path = self.path / "secrets.json"
        if not path.exists():
            self.keep(Secrets(*(secrets.token_urlsafe(36) for _ in range(4))))
        try:
            return Secrets(**json.loads(path.read_text()))
        except (ValueError, TypeError) as error:
            raise LauncherError(
                f"{path} is damaged. Restore this file from a backup: the database opens only "
                "with it."
            ) from error

    def keep(self, secrets: Secrets) -> None:
        write_private(self.path / "secrets.json", json.dumps(asdict(secrets)))

    def claim(self) -> None:
        """Hold the folder until this process ends, however it ends. Raise if another process holds
        it. The announcement of a killed process is removed: another program may have its process
        number."""
        descriptor = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise LauncherError(self._occupied(), code=RUNNING) from None
        self._lock_file = descriptor
        self._state.unlink(missing_ok=True)

    def release(self) -> None:
        self._state.unlink(missing_ok=True)
        if self._lock_file is not None:
            os.close(self._lock_file)
            self._lock_file = None

    def announce(self, running: Running) -> None:
        """Tell other commands where the studio runs. Of the environment the file holds only what
        the studio's settings read. That includes passwords of our services, so the file is private;
        it holds no API keys."""
        read = {n: value for n, value in running.environment.items() if SETTING.match(n)}
        write_private(self._state, json.dumps(asdict(replace(running, environment=read))))

    def running(self) -> Running | None:
        """The supervisor that holds the folder now. A state file without a holder is stale."""
        if not self._held():
            return None
        try:
            return Running(**json.loads(self._state.read_text()))
        except (OSError, ValueError, TypeError):
            return Running(pid=0, address="", environment={})

    def _held(self) -> bool:
        try:
            descriptor = os.open(self.path / "lock", os.O_RDWR)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def _occupied(self) -> str:
        running = self.running()
        if running is None or not running.pid:
            return f"MAS Studio is starting or stopping in {self.path}. Try again in a moment."
        where = f"at {running.address} " if running.address else ""
        return (
            f"MAS Studio is already running {where}(process {running.pid}, data in "
            f"{self.path}). To stop it: bin/studio stop"
        )


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
