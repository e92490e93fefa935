"""The world that the training of MetaAgent-X is passed (`training/worlds.py` says what each method
is for)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256

from bench.common.teams.looks import (
    CORRECT,
    INCORRECT,
    LETTERS_SAID,
    Words,
    look,
    standing,
    text_of,
)
from bench.common.teams.model import DESIGN
from bench.common.teams.queries import Query
from bench.common.teams.weak import ROUNDS, weak_answer, weak_team
from bench.common.teams.writing import script_of
from workers.core.methods.metaagent_x.training.demonstrating import played
from workers.core.methods.metaagent_x.training.worlds import Said, Shown
from workers.core.rollouts.base import Messages
from workers.core.scripts.blocks import Call, alike
from workers.core.scripts.meaning import Meaning, meaning_of
from workers.core.scripts.reading import script_in
from workers.core.specs import TaskSpec


class TeamsWorld:
    """`others`: tasks of which the designer reads one in place of each task (the blind control).
    `rounds`: most rounds of a reflection that the teacher shows for a query to check."""

    key = "teams"

    def __init__(self, others: Sequence[TaskSpec] = (), *, rounds: int = ROUNDS) -> None:
        self._others, self._rounds = others, rounds

    def require(self, tasks: Sequence[TaskSpec]) -> None:
        """All its tasks can be rewarded."""

    def designer_messages(self, task: TaskSpec) -> Messages:
        if self._others:
            digest = sha256(task.query.encode()).digest()
            task = self._others[int.from_bytes(digest[:6]) % len(self._others)]
        return _asked(f"{DESIGN} {task.query}")

    def executor_messages(self, task: TaskSpec, call: Call, generator: random.Random) -> Messages:
        return _asked(" ".join(look(Query.of(task), call, generator)))

    def script(self, task: TaskSpec, reply: str) -> str:
        return script_in(reply)

    def meaning(self, task: TaskSpec, script: str) -> Meaning:
        return _meaning(script)

    async def said(self, task: TaskSpec, call: Call, reply: str) -> Said:
        return said_by(call, reply)

    def same(self, task: TaskSpec, answers: Sequence[str]) -> list[list[int]]:
        return alike(answers)

    async def correct(self, task: TaskSpec, answer: str | None) -> bool:
        return answer == task.reference

    def demonstrates(self, task: TaskSpec) -> bool:
        return True

    async def demonstrated(self, task: TaskSpec, generator: random.Random) -> Sequence[Shown]:
        script = script_of(weak_team(Query.of(task), generator, self._rounds))
        shown, _ = await played(
            self,
            task,
            script,
            lambda _, messages: weak_answer(words_in(messages), generator),
            generator,
        )
        return shown


@lru_cache(maxsize=10_000)
def _meaning(script: str) -> Meaning:
    return meaning_of(script)


def said_by(call: Call, reply: str) -> Said:
    if call.wanted.kind == "verdict":
        return Said(reply, {CORRECT: "correct", INCORRECT: "incorrect"}.get(reply))
    if reply not in LETTERS_SAID:
        return Said(reply, None)
    known = standing(call.reads)
    return Said(text_of(reply, known.steps + 1, known.refused), reply)


def _asked(text: str) -> Messages:
    return ({"role": "user", "content": text},)


def words_in(messages: Messages) -> Words:
    """The look in an executor's prompt."""
    return tuple(messages[0]["content"].split())
