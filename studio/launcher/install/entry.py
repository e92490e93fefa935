"""The first half of every command: prepares with the machine's Python, then hands over."""

import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import NoReturn

from studio.launcher.__main__ import main as command_main
from studio.launcher.__main__ import read
from studio.launcher.errors import INTERRUPTED, USAGE, LauncherError, explained
from studio.launcher.install import NEEDS, NEEDS_NOTHING, needs, prepare

VERSION = "0.1.0"


def main(root_folder: str, arguments: list[str], usage: str) -> None:
    """Never returns: it ends with the command's exit code, or becomes the command."""
    if not arguments or arguments[0] in ("--help", "-h", "help"):
        print(usage.strip())
        sys.exit(0 if arguments else USAGE)
    if arguments[0] in ("--version", "-V"):
        print(f"MAS Studio {VERSION}")
        sys.exit(0)
    if arguments[0] not in NEEDS and arguments[0] not in NEEDS_NOTHING:
        known = ", ".join((*NEEDS, *NEEDS_NOTHING))
        stop(f"There is no command “{arguments[0]}”. Use one of: {known}.", USAGE)
    read(arguments)  # help and wrong usage end here, with nothing installed
    if arguments[0] in NEEDS_NOTHING:
        sys.exit(command_main())
    root = Path(root_folder)
    hand_over(prepared(root, arguments), root, arguments)


def prepared(root: Path, arguments: list[str]) -> Path:
    locks, pages = needs(arguments[0], arguments[1:])
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as `nohup` wants it
            signal.signal(number, interrupt)
    try:
        return prepare(root, locks=locks, pages=pages)
    except LauncherError as error:
        stop(str(error), error.code)
    except KeyboardInterrupt:
        stop("Stopped. Everything installed so far is kept.", INTERRUPTED)
    except OSError as error:
        line = explained(error)
        if line is None:
            raise
        stop(str(line), line.code)


def interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    """Stop as Ctrl-C does: first end what was started for the installation."""
    raise KeyboardInterrupt


def stop(line: str, code: int) -> NoReturn:
    print(f"bin/studio: {line}", file=sys.stderr, flush=True)
    sys.stdout.flush()
    os._exit(code)  # installers' threads may still wait for a network


def hand_over(python: Path, root: Path, arguments: list[str]) -> None:
    """Become the environment's Python: one process, so Ctrl-C and exit codes are its own."""
    environment = {**os.environ, "VIRTUAL_ENV": str(python.parent.parent)}
    # Without it each of the studio's processes would compile all its packages anew, for 3 s.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    search = [str(root), environment.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(part for part in search if part)
    environment["PATH"] = os.pathsep.join([str(python.parent), environment.get("PATH", "")])
    command = [str(python), "-m", "studio.launcher", *arguments]
    os.execve(python, command, environment)  # noqa: S606 - arguments as given, no shell
