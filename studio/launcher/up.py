"""`up`: runs everything as children of this process, until Ctrl-C."""

import contextlib
import errno
import os
import shutil
import socket
import time

from studio.launcher.console import Progress
from studio.launcher.errors import INTERRUPTED, LauncherError
from studio.launcher.folder import Folder, Running
from studio.launcher.parts import Plan, bracketed, reachable, read_bootstrap, studio
from studio.launcher.settings import UpOptions
from studio.launcher.signals import Signals
from studio.launcher.supervisor import Supervisor

LOW_DISK_MB = 1_000
"""Below this the terminal warns, and the health page says so."""


def up(options: UpOptions) -> int:
    """Run until a signal. Return 0 after a clean stop. Problems are raised as LauncherError."""
    started = time.monotonic()
    options.check(os.environ)
    folder = Folder()
    folder.make()
    with Signals() as signals:
        folder.claim()
        try:
            with bind(options) as listening:
                return _serve(options, folder, listening, signals, started)
        finally:
            folder.release()


def _serve(
    options: UpOptions, folder: Folder, listening: socket.socket, signals: Signals, started: float
) -> int:
    host, port = listening.getsockname()[:2]
    address = f"http://{bracketed(reachable(host))}:{port}"
    plan = studio(folder, options, listening)
    folder.announce(Running(os.getpid(), address, plan.shared))
    supervisor: Supervisor | None = None
    try:
        supervisor = Supervisor(plan.parts, signals, say)
        while True:
            with Progress() as progress:
                supervisor.say = progress.say
                _start(supervisor, progress)
            supervisor.say = say
            _welcome(plan, address, folder, seconds=time.monotonic() - started)
            folder.announce(Running(os.getpid(), address, plan.shared, ready=True))
            _keep(supervisor, signals, folder)
            say("A backup was loaded. Starting again with it.")
            started, signals.restarting = time.monotonic(), False
            folder.announce(Running(os.getpid(), address, plan.shared))
            supervisor.restart(without="postgres")
    except LauncherError as error:
        if error.code != INTERRUPTED:
            raise
        say("Stopping …")
    finally:
        if supervisor is not None:
            supervisor.stop()
    say("Stopped.")
    return 0


def _start(supervisor: Supervisor, progress: Progress) -> None:
    """Wait until the page answers. The worker and the model may still be starting."""
    job = progress.begin("Starting")

    def page() -> bool:
        job.note = ", ".join(supervisor.pending())
        return supervisor.ready("bootstrap", "web")

    supervisor.run_until(page)
    progress.end(job)


def _keep(supervisor: Supervisor, signals: Signals, folder: Folder) -> None:
    """Watch the parts until they must be started again. A stop is raised."""
    announced = warned = False
    while not signals.restarting:
        low = disk_low(folder)
        if low and not warned:
            say(low)
        warned = bool(low)
        supervisor.step(seconds=5.0)
        if not announced and supervisor.ready():
            announced = True
            say("All parts are up. The studio now answers questions.")


def disk_low(folder: Folder) -> str:
    """A warning while there is still room to act; empty if the disk has enough space."""
    free_mb = shutil.disk_usage(folder.path).free // 1_000_000
    if free_mb >= LOW_DISK_MB:
        return ""
    return (
        f"The disk of {folder.path} has only {free_mb} MB free. Free some space: a full disk "
        "can store nothing more."
    )


def _welcome(plan: Plan, address: str, folder: Folder, *, seconds: float) -> None:
    if plan.bootstrap is None:
        return
    answer = read_bootstrap(plan.bootstrap)
    say(f"MAS Studio is up at {address} ({seconds:.1f} s)")
    say(f"  Log in once with   {address}{answer['login_path']}")
    if answer.get("admin_password"):
        say(f"  Or log in as       admin / {answer['admin_password']}   (shown only this once)")
    say(f"  Ctrl-C stops everything. Logs are in {folder.logs}.")


def bind(options: UpOptions) -> socket.socket:
    """The listening socket, held from start to end."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((options.host, options.port))
        listening.listen(2048)
    except OSError as error:
        listening.close()
        raise LauncherError(_why_not(options, error)) from error
    return listening


def _why_not(options: UpOptions, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {options.port} on {options.host} is in use by another program. Choose "
            f"another port: bin/studio up --port {options.port + 1}"
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        return (
            f"There is no permission to listen on port {options.port}. Choose a port above 1023 "
            "with --port."
        )
    return (
        f"The studio can't listen on {options.host}:{options.port}: {error.strerror or error}. "
        "Choose another --host or --port."
    )


def say(line: str) -> None:
    """Print a line on the terminal. A closed terminal must not keep the studio from stopping."""
    with contextlib.suppress(OSError):
        print(line, flush=True)
