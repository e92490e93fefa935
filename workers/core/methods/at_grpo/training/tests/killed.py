"""Trainings that end by `kill -9` again and again, each time at another place, and are resumed in
another process each time: `python -m workers.core.methods.at_grpo.training.tests.killed FOLDER URL`
(of a vLLM server).

Processes are forked from one that has imported everything, which is most of what they take. A
training has the folder NAME, and beside it NAME.jsonl with all that its attempts told. NAME-whole
is not killed. The last line printed is a JSON object: of each training and place the exit code, and
the step that was done.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import peft  # noqa: F401  before any fork
import pyarrow
import torch
from pyarrow.parquet import ParquetWriter
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast  # noqa: F401

from workers.core.checkpoints import read_info
from workers.core.methods.at_grpo.method import AtGrpo
from workers.core.methods.at_grpo.training.loop import _Training
from workers.core.methods.at_grpo.training.tests.small import ADAPTERS, TASKS, training
from workers.core.rollouts import learning
from workers.core.rollouts.decoding import Decoding
from workers.core.rollouts.learning import Learner
from workers.core.rollouts.optimiser import Optimiser
from workers.core.rollouts.vllm.server import Server
from workers.core.training import engine_state
from workers.core.training.resumable import STATE_FOLDER, has_state

TINY: dict[str, Any] = ADAPTERS | {
    "cold_steps": 1,
    "steps": 2,
    "updates": 2,
    "learning_rate": 1e-2,
    "checkpoint_every": 1,
    "held_out": 2,
    "ratios": "all",
}
CONFIGS = {"in process": TINY, "vLLM": TINY | {"engine": "vllm"}}


@dataclass(frozen=True, slots=True)
class Place:
    """The call of `owner.name` in this step that a process ends at: before it, once it is `done`,
    or once the file that it writes is half there."""

    step: int
    owner: Any
    name: str
    call: int = 1
    done: bool = False
    half: bool = False


PLACES = {
    "in process": {
        "demonstrations": Place(1, Optimiser, "step", done=True),
        "sampling": Place(2, Decoding, "feed", 5),
        "gradients": Place(2, torch.autograd, "backward", done=True),
        "between two updates": Place(2, Optimiser, "step", done=True),
        "publication": Place(2, Learner, "publish", done=True),
        "branches": Place(2, ParquetWriter, "write_table", done=True),
        "held-out tasks": Place(2, _Training, "_held_out_played"),
        "checkpoint": Place(2, os, "fsync"),
        "engine": Place(2, learning, "save_file", 2, half=True),
        "state": Place(2, engine_state, "save"),
        "committed": Place(2, engine_state, "save", done=True),
    },
    "vLLM": {"publication": Place(3, Server, "score")},
}
"""In their order: each attempt takes up what the one before has left."""


def main() -> None:
    folder = Path(sys.argv[1])
    torch.set_num_threads(1)
    pyarrow.array([0])  # imports pandas where that is installed
    ended: dict[str, dict[str, tuple[int, int]]] = {}
    for name, places in PLACES.items():
        own, run = folder / name, partial(attempt, CONFIGS[name])
        ended[name] = {place: done(own, partial(run, own, places[place])) for place in places}
        ended[name]["resumed"] = done(own, partial(run, own))
        whole = folder / f"{name}-whole"
        ended[name]["whole"] = done(whole, partial(run, whole))
    print(json.dumps(ended))


def done(folder: Path, work: Callable[[], None]) -> tuple[int, int]:
    code = forked(work)
    return code, read_info(folder / STATE_FOLDER).recipe["step"] if has_state(folder) else 0


def forked(work: Callable[[], None]) -> int:
    """The exit code of a process that does it."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def attempt(config: dict[str, Any], folder: Path, place: Place | None = None) -> None:
    context = training(folder, config=config, vllm_urls=(sys.argv[2],))
    if place is not None:
        end_at(place)

    async def tell() -> None:
        with folder.with_suffix(".jsonl").open("a") as told:
            async for event in AtGrpo().train(TASKS, context):
                told.write(event.model_dump_json() + "\n")
                told.flush()

    asyncio.run(tell())


def end_at(place: Place) -> None:
    """Patches what is called there, for good."""
    called, real, step = 0, getattr(place.owner, place.name), _Training.step
    begun: list[_Training] = []

    async def begins(self: _Training) -> Any:
        nonlocal called
        called = 0
        begun[:] = [self]
        return await step(self)

    def ends(*args: Any, **kwargs: Any) -> Any:
        nonlocal called
        called += 1
        here = called == place.call and bool(begun)
        here = here and begun[0].progress.step == place.step - 1
        if here and not (place.done or place.half):
            end()
        found = real(*args, **kwargs)
        if here:
            if place.half:
                written = Path(args[1])
                os.truncate(written, written.stat().st_size // 2)
            end()
        return found

    patch.object(_Training, "step", begins).start()
    patch.object(place.owner, place.name, ends).start()


def end() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
