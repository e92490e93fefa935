"""Starts the stub LLM as a separate process and stops it."""

import json
import select
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

from workers.core.testing.stub_settings import StubSettings

START_SECONDS = 20.0
STOP_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class RunningStub:
    """`url` is the API's base URL, which ends in /v1 unless `missing_prefix`; `root` never does."""

    url: str
    root: str
    process: subprocess.Popen[str]

    def log(self) -> dict[str, Any]:
        """`{"total", "active", "peak", "dropped", "requests": [body, …]}` since the last clear."""
        return self._log("GET")

    def clear(self) -> None:
        self._log("DELETE")

    def _log(self, method: str) -> dict[str, Any]:
        request = urllib.request.Request(f"{self.root}/_log", method=method)  # noqa: S310 our own
        with urllib.request.urlopen(request, timeout=10) as response:  # noqa: S310 our own process
            log: dict[str, Any] = json.load(response)
            return log


@contextmanager
def running_stub(**settings: Any) -> Iterator[RunningStub]:
    """A stub with these `StubSettings` on a free port of 127.0.0.1, stopped at the end.

    Raises RuntimeError with the process's output if it does not start.
    """
    told = StubSettings(**settings)
    command = [sys.executable, "-m", "workers.core.testing.stub_llm"]
    process = subprocess.Popen(
        [*command, "--settings", json.dumps(told.to_json())],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        root = _wait_until_listening(process)
        yield RunningStub(root if told.missing_prefix else f"{root}/v1", root, process)
    finally:
        _stop(process)


def _wait_until_listening(process: subprocess.Popen[str]) -> str:
    output: IO[str] | None = process.stdout
    if output is None:
        raise RuntimeError("the stub has no standard output")
    ready, _, _ = select.select([output], [], [], START_SECONDS)
    line = output.readline() if ready else ""
    if not line.startswith("listening on "):
        raise RuntimeError(f"the stub LLM did not start: {line or 'it printed nothing'}")
    return line.removeprefix("listening on ").strip()


def _stop(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout:
        process.stdout.close()
