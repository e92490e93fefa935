"""One rank: `torchrun -m workers.core.rollouts.ranks.member SOCKET`."""

from __future__ import annotations

import hashlib
import os
import select
import socket
import sys
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from multiprocessing.connection import Connection
from typing import Any

import torch
import torch.distributed as ranks
from safetensors import SafetensorError

from workers.core.errors import MethodError
from workers.core.rollouts.base import PolicyEngine
from workers.core.rollouts.ranks.line import MAKE, Answer, Call, Failed, Line

TOGETHER = frozenset(
    {MAKE, "forward_backward", "optim_step", "anchor", "publish", "load", "digests"}
)
"""What all ranks are called for."""
GRACE_SECONDS = 2.0
"""For ranks that do nothing when the training ends: they end by themselves."""
PATIENCE = timedelta(days=30)
"""The others wait while rank 0 samples. torchrun notices a rank that ends."""


class Member:
    _engine: PolicyEngine

    def answer(self, call: Call) -> Answer:
        try:
            return Answer(self._called(call))
        except MethodError as error:
            return Answer(failed=Failed(error.message, error.code, error.remedy))
        except (OSError, SafetensorError) as error:
            return Answer(failed=Failed(str(error), number=getattr(error, "errno", None)))

    def _called(self, call: Call) -> Any:
        if call.name == MAKE:
            (make,) = call.args
            self._engine = make()
            return None
        if call.name == "digests":
            return self._digests(*call.args)
        found = getattr(self._engine, call.name)
        return found(*call.args) if callable(found) else found

    def _digests(self, policy: str) -> list[str]:
        """Of each rank's weights."""
        digest = hashlib.sha256()
        for _, tensor in sorted(self._engine.tensors(policy).items()):
            digest.update(tensor.float().numpy().tobytes())
        all_of_them: list[str] = [""] * ranks.get_world_size()
        ranks.all_gather_object(all_of_them, digest.hexdigest())
        return all_of_them


def calls(line: Line | None) -> Iterator[Call]:
    """Rank 0 has the `line`. The others hear of what all are called for."""
    while True:
        told: list[Call | None] = [_received(line) if line else None]
        if line is None or told[0] is None or told[0].name in TOGETHER:
            ranks.broadcast_object_list(told, src=0, device=torch.device("cpu"))
        if told[0] is None:
            return
        yield told[0]


def _received(line: Line) -> Call | None:
    """None: the training is gone."""
    try:
        call: Call = line.receive()
    except (EOFError, OSError):
        return None
    return call


def _end_after(training: int) -> None:
    """Ends this process once the training is gone, even in the middle of a call: it holds memory
    that the resumed training needs. torchrun then ends the others."""
    gone = select.poll()
    gone.register(training, 0)  # a hang-up is told in any case
    gone.poll()
    time.sleep(GRACE_SECONDS)
    os._exit(1)


def main() -> None:
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    ranks.init_process_group("cpu:gloo,cuda:nccl" if cuda else "gloo", timeout=PATIENCE)
    line = None
    if ranks.get_rank() == 0:
        joined = socket.socket(socket.AF_UNIX)
        joined.connect(sys.argv[1])
        threading.Thread(target=_end_after, args=[joined.fileno()], daemon=True).start()
        line = Line(Connection(joined.detach()))
    member = Member()
    for call in calls(line):
        answer = member.answer(call)
        if line:
            try:
                line.send(answer)
            except OSError:
                continue  # the training is gone, as the next call tells
    ranks.destroy_process_group()


if __name__ == "__main__":
    main()
