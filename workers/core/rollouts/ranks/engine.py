"""The training's side of an engine in several processes."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workers.core.rollouts.base import (
    BrokenOff,
    EngineError,
    Ids,
    LossOptions,
    Messages,
    PolicyEngine,
    Sample,
    Sampling,
    Told,
    Weighted,
)
from workers.core.rollouts.ranks.line import MAKE, Answer, Call, Line

if TYPE_CHECKING:
    from torch import Tensor

ROOT = Path(__file__).resolve().parents[4]
START_SECONDS = 600.0
LOOK_SECONDS = 0.5
END_SECONDS = 20.0
WRITES = frozenset({"save"})
"""What is not broken off: it ends by itself."""


class RankedEngine:
    """See PolicyEngine. `make` is called in each of the `ranks` processes: it must be picklable.
    `own`: a folder of theirs that goes with them. Raises EngineError also where one of them ends.
    """

    def __init__(
        self,
        make: Callable[[], PolicyEngine],
        *,
        ranks: int,
        own: Path | None = None,
        broken_off: threading.Event | None = None,
    ) -> None:
        self._lock = threading.Lock()
        self._own, self._broken_off = own, broken_off or threading.Event()
        self._folder = Path(tempfile.mkdtemp(prefix="ranks-"))
        try:
            self._start(ranks)
            self._call(MAKE, make)
        except BaseException:
            self._end()
            raise

    def _start(self, ranks: int) -> None:
        address = str(self._folder / "line")
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(address)
            listening.listen(1)
            listening.settimeout(LOOK_SECONDS)
            torchrun = ["torch.distributed.run", "--standalone", "--max-restarts=0"]
            member = [f"--nproc-per-node={ranks}", "-m", "workers.core.rollouts.ranks.member"]
            self.process = subprocess.Popen(
                [sys.executable, "-m", *torchrun, *member, address],
                cwd=ROOT,
                start_new_session=True,
            )
            deadline = time.monotonic() + START_SECONDS
            while self.process.poll() is None and time.monotonic() < deadline:
                if self._broken_off.is_set():
                    raise BrokenOff
                with suppress(TimeoutError):
                    joined, _ = listening.accept()
                    joined.settimeout(None)
                    self._line = Line(Connection(joined.detach()))
                    return
        raise _stopped()

    def _call(self, name: str, *args: Any) -> Any:
        try:
            with self._lock:
                self._line.send(Call(name, args))
                while not self._line.has_answer(LOOK_SECONDS):
                    if self._broken_off.is_set() and name not in WRITES:
                        raise BrokenOff
                answer: Answer = self._line.receive()
        except (EOFError, OSError) as error:
            self._end()
            raise _stopped() from error
        failed = answer.failed
        if failed is None:
            return answer.value
        if failed.code:
            raise EngineError(code=failed.code, message=failed.message, remedy=failed.remedy)
        raise OSError(failed.number, failed.message)

    def _end(self) -> None:
        """Ends the processes. They end by themselves once the line is closed, unless one hangs or
        is broken off: then nothing is asked of them. torchrun ends its ranks where it is asked to,
        not where it is killed: each rank has a session of its own."""
        if hasattr(self, "_line"):
            self._line.close()
        if hasattr(self, "process"):
            if self._broken_off.is_set():
                self._kill_ranks()
            else:
                self._ended(END_SECONDS)
            self.process.terminate()
            self._ended(END_SECONDS)
            self.process.kill()
            self.process.wait()
        for folder in (self._folder, self._own):
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)

    def _kill_ranks(self) -> None:
        """Linux tells which they are; elsewhere torchrun asks them to end."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        for rank in children.read_text().split() if children.exists() else ():
            with suppress(ProcessLookupError):
                os.kill(int(rank), signal.SIGKILL)

    def _ended(self, seconds: float) -> None:
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)

    def close(self) -> None:
        with suppress(EngineError, OSError):
            self._call("close")
        self._end()

    @property
    def policies(self) -> tuple[str, ...]:
        found: tuple[str, ...] = self._call("policies")
        return found

    @property
    def seconds_publishing(self) -> float:
        found: float = self._call("seconds_publishing")
        return found

    def digests(self, policy: str) -> list[str]:
        """Of each rank's weights: all equal, or something is wrong."""
        found: list[str] = self._call("digests", policy)
        return found

    def prompt(self, policy: str, messages: Messages) -> Ids:
        found: Ids = self._call("prompt", policy, messages)
        return found

    def answer(self, policy: str, text: str) -> Ids:
        found: Ids = self._call("answer", policy, text)
        return found

    def text(self, policy: str, tokens: Ids) -> str:
        found: str = self._call("text", policy, tokens)
        return found

    def sample(
        self, policy: str, prompts: Sequence[Ids], n: int, sampling: Sampling
    ) -> list[list[Sample]]:
        found: list[list[Sample]] = self._call("sample", policy, prompts, n, sampling)
        return found

    def logprobs(self, policy: str, samples: Sequence[Sample]) -> list[tuple[float, ...]]:
        found: list[tuple[float, ...]] = self._call("logprobs", policy, samples)
        return found

    def start_logprobs(self, policy: str, samples: Sequence[Sample]) -> list[tuple[float, ...]]:
        found: list[tuple[float, ...]] = self._call("start_logprobs", policy, samples)
        return found

    def forward_backward(
        self, policy: str, batch: Sequence[Weighted], options: LossOptions
    ) -> Told:
        found: Told = self._call("forward_backward", policy, batch, options)
        return found

    def optim_step(self, policy: str, learning_rate: float) -> float:
        found: float = self._call("optim_step", policy, learning_rate)
        return found

    def anchor(self, policy: str) -> None:
        self._call("anchor", policy)

    def publish(self, policy: str) -> int:
        found: int = self._call("publish", policy)
        return found

    def tensors(self, policy: str) -> dict[str, Tensor]:
        found: dict[str, Tensor] = self._call("tensors", policy)
        return found

    def save(self, folder: Path) -> None:
        self._call("save", folder)

    def load(self, folder: Path) -> None:
        self._call("load", folder)


def _stopped() -> EngineError:
    return EngineError(
        code="ranks_stopped",
        message="A process that computes updates has ended.",
        remedy="The worker's log says why. Then resume the training: nothing is lost.",
    )
