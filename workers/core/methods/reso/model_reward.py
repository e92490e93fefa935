"""The neural reward model of CRM: a model that classifies, run in this process (ReSo, §3.2).

What works: a model that transformers can run without code of the model's own and whose head gives
one label of a whole text, r = σ(logit), as those do that a tuning here leaves; two labels of a
whole text, r = the probability of the second; or one or two labels of each token, of which the last
token's counts, as trl's trainer of process reward models leaves them. What does not: models with an
architecture of their own, and language models that write a + or a − after each step.

Light to import: torch comes with the first answer that is judged.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workers.core.concurrency import OneThread
from workers.core.mas.outcome import AgentOutcome
from workers.core.methods.reso.rewards import Reward, Solved, as_reward, record
from workers.core.specs import RoleSpec, SubtaskSpec

if TYPE_CHECKING:
    from workers.core.methods.reso.tuning.scorer import Scorer

BATCH = 8
"""Answers that are judged at once, at most."""
MAX_TOKENS = 1_536
"""Of a record; of a longer one the beginning is left out, since the answer stands at its end."""


class ModelReward:
    """`checkpoint`: what a tuning left, which knows its own model; else `model`, a folder's name
    below that of local models, or owner/name on the hub.

    Answers that come while others are judged are judged together next. For one event loop.
    """

    def __init__(self, model: str = "", *, checkpoint: Path | None = None) -> None:
        self._model = model
        self._checkpoint = checkpoint
        self._scorer: Scorer | None = None
        self._thread = OneThread()
        self._waiting: list[tuple[str, asyncio.Future[float]]] = []
        self._working: asyncio.Task[None] | None = None

    async def ready(self) -> None:
        """Reads the model. Raises MethodError for one that cannot be used."""
        self._scorer = await asyncio.to_thread(self._loaded)

    async def judge(
        self, role: RoleSpec, subtask: SubtaskSpec, outcome: AgentOutcome, before: Sequence[Solved]
    ) -> Reward:
        """Raises MethodError for a model that cannot be used."""
        if not outcome.usable:
            return Reward(0.0, "It gave no answer.")
        value: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._waiting.append((record(role, subtask, outcome, before), value))
        if self._working is None:
            self._working = asyncio.create_task(self._work())
        return as_reward(await value)

    async def _work(self) -> None:
        """Judges until nobody waits; what stops one batch is told to all of it."""
        try:
            while self._waiting:
                batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
                try:
                    values = await self._thread.run(self._rewards, [text for text, _ in batch])
                except Exception as error:
                    _settle(batch, error)
                else:
                    _settle(batch, values)
        finally:
            self._working = None

    def _rewards(self, records: list[str]) -> list[float]:
        if self._scorer is None:
            self._scorer = self._loaded()
        return self._scorer.rewards(records)

    def _loaded(self) -> Scorer:
        from workers.core.methods.reso.tuning.scorer import Scorer

        if self._checkpoint is not None:
            return Scorer.tuned(self._checkpoint)
        return Scorer.published(self._model, max_tokens=MAX_TOKENS)


def _settle(
    batch: Sequence[tuple[str, asyncio.Future[float]]], values: Sequence[float] | Exception
) -> None:
    for place, (_, waiting) in enumerate(batch):
        if waiting.done():  # nobody waits any more
            continue
        if isinstance(values, Exception):
            waiting.set_exception(values)
        else:
            waiting.set_result(values[place])
