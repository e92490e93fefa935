"""`ask`: one question in the terminal, through the same API as the pages."""

import json
import os
import sys
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from http.client import HTTPException
from pathlib import Path

from studio.launcher.console import Progress
from studio.launcher.errors import FAILED, INTERRUPTED, LauncherError
from studio.launcher.folder import Folder, Running, write_private
from studio.launcher.manage import last_words, manage_json
from studio.launcher.process import Child, Command, stop_all
from studio.launcher.remote import Json, NotAuthorized, Remote
from studio.launcher.report import Report, result
from studio.launcher.signals import Signals
from studio.launcher.terminal_text import printable_json

START_SECONDS = 180.0
ENDED = {"succeeded", "failed", "cancelled"}
RECONNECT_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Question:
    query: str
    method: str | None = None
    endpoint: str | None = None
    pool: str | None = None
    seed: int | None = None
    reference: str | None = None
    method_config: Json | None = None
    files: tuple[Path, ...] = ()

    def body(self) -> Json:
        """Without the files, which are sent before."""
        told = asdict(self).items()
        return {name: value for name, value in told if value is not None and name != "files"}


def settings_in(texts: Sequence[str]) -> Json:
    """Settings of a method, given as `KEY=VALUE`. VALUE is JSON, or else text; `@FILE` is the text
    of a file. Raises LauncherError."""
    found: Json = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise LauncherError(f"--set needs KEY=VALUE, not {text!r}.", code=2)
        try:
            found[key] = _from_file(Path(value[1:])) if value.startswith("@") else json.loads(value)
        except json.JSONDecodeError:
            found[key] = value
    return found


def _from_file(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LauncherError(f"{path} can't be read as text: {error}.", code=2) from error


def ask(question: Question, *, as_json: bool) -> int:
    """Return 0 for an answer, 1 for a failed run. Bad questions and other problems are raised."""
    if not question.query.strip():
        raise LauncherError('Give a question: bin/studio ask "…".', code=2)
    for path in question.files:
        check_file(path)
    folder = Folder()
    with studio_running(folder) as running:
        run = answered(folder, running, question, Report(quiet=as_json))
    if as_json:
        print(printable_json(json.dumps(result(run), ensure_ascii=False)))
    return 0 if run["status"] == "succeeded" else FAILED


def check_file(path: Path) -> None:
    """Raises LauncherError for what is no file, and for one that the studio would refuse unread."""
    from workers.core.tools.attachments import FILE_MAX_BYTES

    if not path.is_file():
        raise LauncherError(f"There is no file {path}. Give the path of a file.", code=2)
    if path.stat().st_size > FILE_MAX_BYTES:
        most = f"{FILE_MAX_BYTES / 1e6:.0f} MB"
        raise LauncherError(f"{path} has more than {most}. Attach a part of it.", code=2)


@contextmanager
def studio_running(folder: Folder) -> Iterator[Running]:
    """The running studio, or one started for this question and stopped after it."""
    running = folder.running()
    if running is not None and running.ready:
        yield running
        return
    folder.make()
    with Signals() as signals:
        started = None if running is not None else Child(start_command(folder))
        try:
            yield wait_until_up(folder, started, signals)
        finally:
            # It names a login link, and at the very first start a password.
            (folder.logs / "up.out").unlink(missing_ok=True)
            if started is not None:
                print("Stopping the studio that was started for this question.", file=sys.stderr)
                stop_all([started])


def start_command(folder: Folder) -> Command:
    return Command(
        name="up",
        argv=(sys.executable, "-m", "studio.launcher", "up", "--port", "0"),
        environment=dict(os.environ),
        log=folder.logs / "up.log",
        output=folder.logs / "up.out",
        stop_seconds=40.0,
        death_signal=15,  # it then stops its own parts
    )


def wait_until_up(folder: Folder, started: Child | None, signals: Signals) -> Running:
    """Wait until a starting studio serves its page. If it gives up, raise what it said."""
    with Progress() as progress:
        name = "No studio is running: starting one" if started else "Waiting for the studio"
        progress.say(f"{name}.")
        job = progress.begin("Starting")
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            running = folder.running()
            if running is not None and running.ready:
                progress.end(job, "The studio is up")
                return running
            if started is not None and started.poll() is not None:
                raise LauncherError(last_words("up", folder).removeprefix("bin/studio: "))
            signals.wait(0.1)
            if signals.ending is not None:
                raise LauncherError("Stopped.", code=INTERRUPTED)
    raise LauncherError(
        f"The studio did not start within {START_SECONDS:.0f} s. See its logs in {folder.logs}."
    )


def answered(folder: Folder, running: Running, question: Question, report: Report) -> Json:
    """Post the question, follow its events, and return the finished run."""
    remote, run = posted(folder, running, question)
    identity = str(run["id"])
    report.begin(identity, f"{running.address}/runs/{identity}")
    after: str | None = None
    with report:
        while True:
            try:
                for event, frame_id, data in remote.events(identity, after):
                    after = frame_id or after
                    report.frame(event, data)
            except (OSError, HTTPException):
                report.note("The connection broke. Connecting again.")
            run = remote.get(f"/api/runs/{identity}")
            if run["status"] in ENDED:
                break
            time.sleep(RECONNECT_SECONDS)
    report.end(run)
    return run


def posted(folder: Folder, running: Running, question: Question) -> tuple[Remote, Json]:
    """Create the run. A token that no longer works is replaced, once."""
    key = {"Idempotency-Key": str(uuid.uuid4())}
    remote = Remote(running.address, token(folder, running, fresh=False))
    try:
        return remote, sent(remote, question, key)
    except NotAuthorized:
        remote = Remote(running.address, token(folder, running, fresh=True))
    try:
        return remote, sent(remote, question, key)
    except NotAuthorized:
        raise LauncherError(
            "The studio refused the token it just made for `ask`. Run the command again."
        ) from None


def sent(remote: Remote, question: Question, key: dict[str, str]) -> Json:
    """The files, then the question that names them."""
    uploads = [
        remote.upload("/api/uploads", path.name, path.read_bytes())["id"] for path in question.files
    ]
    named = {"uploads": uploads} if uploads else {}
    return remote.post("/api/runs", {**question.body(), **named}, **key)


def token(folder: Folder, running: Running, *, fresh: bool) -> str:
    """The terminal's API token, kept in the data folder. Only the folder's owner can read it."""
    path = folder.path / "cli-token"
    if not fresh and path.exists():
        return path.read_text().strip()
    secret = str(manage_json(running.environment, "studio_bootstrap", "--cli-token")["token"])
    write_private(path, secret)
    return secret
