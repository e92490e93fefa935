"""`manage`: runs a Django command on the running studio, or only on its data if none runs.
`login`: prints a new login link for the running studio.
"""

import json
import os
import subprocess
import sys

from studio.launcher.errors import LauncherError
from studio.launcher.folder import ROOT, Folder
from studio.launcher.migrations import applied
from studio.launcher.process import tail
from studio.launcher.running import status
from studio.launcher.session import session

PROGRAM = [sys.executable, "manage.py"]


def manage(arguments: list[str]) -> int:
    """The exit code of the Django command."""
    folder = Folder()
    running = folder.running()
    if running is not None and running.environment:
        environment = {**os.environ, **running.environment}
        return subprocess.run(
            [*PROGRAM, *arguments], cwd=ROOT, env=environment, check=False
        ).returncode
    with session(folder, durable=True) as services:
        code = services.run([*PROGRAM, *arguments])
    if code and not applied(folder.path):
        print(f"{folder.path} has no tables yet. Run `bin/studio up` once first.", file=sys.stderr)
    return code


def login() -> int:
    """Print a link that logs the admin in once; 4 when no studio is up."""
    folder = Folder()
    running = folder.running()
    if running is None or not running.ready:
        return status()
    answer = manage_json(running.environment, "studio_bootstrap", "--login-link")
    print(f"Log in once with {running.address}{answer['login_path']}")
    return 0


def manage_json(environment: dict[str, str], *arguments: str) -> dict[str, object]:
    """The JSON object that our Django command prints last."""
    done = subprocess.run(
        [*PROGRAM, *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        answer = json.loads(done.stdout.strip().splitlines()[-1])
    except (ValueError, IndexError):
        answer = None
    if done.returncode != 0 or not isinstance(answer, dict):
        said = (done.stderr.strip() or done.stdout.strip() or "nothing").splitlines()[-1]
        raise LauncherError(f"manage.py {' '.join(arguments)} failed: {said}")
    return answer


def last_words(name: str, folder: Folder) -> str:
    """The last line of a part's log, for a message."""
    lines = tail(folder.logs / f"{name}.log")
    return lines[-1] if lines else "its log is empty."
