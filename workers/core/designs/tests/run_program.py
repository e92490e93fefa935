"""Runs exported programs as `python FILE …` does, but for the seconds that it takes to import their
libraries: those are imported once, in a process that each program's own is a fork of."""

import multiprocessing
import os
import runpy
import sys
from dataclasses import dataclass
from pathlib import Path

LIBRARIES = ["langgraph.graph", "openai"]
SECONDS = 60.0
_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(LIBRARIES)


@dataclass(frozen=True, slots=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


def run_program(
    file: Path, *arguments: str, variables: dict[str, str] | None = None, typed: str = ""
) -> Done:
    """Its environment has these variables alone, and a path."""
    files = [file.with_suffix(f".{stream}") for stream in ("stdin", "stdout", "stderr")]
    files[0].write_text(typed)
    environment = {"PATH": os.environ["PATH"], **(variables or {})}
    process = _context.Process(target=_run, args=(file, arguments, environment, files))
    process.start()
    process.join(SECONDS)
    if process.exitcode is None:
        process.kill()
        process.join()
    assert process.exitcode is not None
    return Done(process.exitcode, files[1].read_text(), files[2].read_text())


def _run(
    file: Path, arguments: tuple[str, ...], environment: dict[str, str], files: list[Path]
) -> None:
    for number, (stream, flags) in enumerate(
        zip(files, (os.O_RDONLY, os.O_WRONLY | os.O_CREAT, os.O_WRONLY | os.O_CREAT), strict=True)
    ):
        os.dup2(os.open(stream, flags, 0o600), number)
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, closefd=False)  # noqa: SIM115  as long as the process
        for number, mode in enumerate("rww")
    )
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(file.parent)
    sys.argv = [str(file), *arguments]
    runpy.run_path(str(file), run_name="__main__")
