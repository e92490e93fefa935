"""The neural reward model of CRM: a local model or one of the hub, in this process (ReSo, §3.3).

These models work, always without code that comes with a model:

    one label of a whole text             r = σ(logit), as those do that a tuning here leaves
    two labels of a whole text            r = the probability of the second
    one or two labels of each token       those of the last one, as trl's trainer leaves them
    Qwen2ForProcessRewardModel            r = the probability of the second label at the end of the
                                          last step (Qwen2.5-Math-PRM, which ReSo tunes)
    language models, by `form`            r = the probability of + against − after the last step
                                          (Math-Shepherd's and RLHFlow's)

The first three read a record unchanged, the others as a problem and steps: see `tuning.steps`.
Other special architectures don't work, such as Skywork's with a `v_head`.

Light to import: torch is loaded with the first judged answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from workers.core.concurrency import OneThread
from workers.core.mas.outcome import AgentOutcome
from workers.core.methods.reso.rewards import Reward, Solved, as_reward, record, unjudged
from workers.core.methods.reso.tuning.config import RewardForm
from workers.core.specs import RoleSpec, SubtaskSpec

if TYPE_CHECKING:
    from workers.core.methods.reso.tuning.scorer import Scorer

Write = Callable[..., str]
"""Writes a record, once it is known how much of its texts the model can read."""
BATCH = 8
"""Most answers that are judged at once."""
MAX_TOKENS = 1_536
"""Limit of a record. A longer one loses its beginning, because the answer is at its end. For models
that judge steps the earlier answers are left out; a record that is still too long is not judged."""


class ModelReward:
    """`checkpoint`: that of a tuning, which knows its own model. Otherwise `model`: a folder below
    the local models, or owner/name on the hub, which is asked in `form`.

    Answers that arrive while others are judged are judged together next. For one event loop.
    """

    def __init__(
        self, model: str = "", *, checkpoint: Path | None = None, form: RewardForm = "auto"
    ) -> None:
        self._model = model
        self._form = form
        self._checkpoint = checkpoint
        self._scorer: Scorer | None = None
        self._thread = OneThread()
        self._waiting: list[tuple[Write, asyncio.Future[float | None]]] = []
        self._working: asyncio.Task[None] | None = None

    async def ready(self) -> None:
        """Read the model. Raises MethodError if it can't be used."""
        self._scorer = await asyncio.to_thread(self._loaded)

    async def judge(
        self, role: RoleSpec, subtask: SubtaskSpec, outcome: AgentOutcome, before: Sequence[Solved]
    ) -> Reward:
        """Raises MethodError if the model can't be used."""
        if not outcome.usable:
            return Reward(0.0, "The agent gave no answer.")
        value: asyncio.Future[float | None] = asyncio.get_running_loop().create_future()
        self._waiting.append((partial(record, role, subtask, outcome, before), value))
        if self._working is None:
            self._working = asyncio.create_task(self._work())
        found = await value
        if found is None:
            return unjudged("The answer is longer than the reward model can read.")
        return as_reward(found)

    async def _work(self) -> None:
        """Judge until no answer waits. An error of one batch goes to all its answers."""
        try:
            while self._waiting:
                batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
                try:
                    values = await self._thread.run(self._rewards, [write for write, _ in batch])
                except Exception as error:
                    _settle(batch, error)
                else:
                    _settle(batch, values)
        finally:
            self._working = None

    def _rewards(self, writes: list[Write]) -> list[float | None]:
        if self._scorer is None:
            self._scorer = self._loaded()
        room = self._scorer.room
        return self._scorer.rewards([write(room=room) for write in writes])

    def _loaded(self) -> Scorer:
        from workers.core.methods.reso.tuning.scorer import Scorer

        if self._checkpoint is not None:
            return Scorer.tuned(self._checkpoint)
        return Scorer.published(self._model, max_tokens=MAX_TOKENS, form=self._form)


def _settle(
    batch: Sequence[tuple[Write, asyncio.Future[float | None]]],
    values: Sequence[float | None] | Exception,
) -> None:
    for place, (_, waiting) in enumerate(batch):
        if waiting.done():  # nobody waits any more
            continue
        if isinstance(values, Exception):
            waiting.set_exception(values)
        else:
            waiting.set_result(values[place])
