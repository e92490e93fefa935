"""The cold start: replies of both roles that are right, before anything is sampled."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from workers.core.errors import MethodError
from workers.core.methods.metaagent_x.training.plays import play_of
from workers.core.methods.metaagent_x.training.worlds import (
    DESIGNER,
    EXECUTOR,
    ROLES,
    Role,
    Shown,
    World,
)
from workers.core.rollouts.base import Messages, PolicyEngine
from workers.core.scripts.blocks import Call, Message
from workers.core.specs import TaskSpec
from workers.core.training.demonstrations import Demonstrations

Says = Callable[[Call, Messages], str | None]
"""Speaks for an executor that is shown these messages; None: it has nothing to say."""


async def played(
    world: World,
    task: TaskSpec,
    reply: str,
    says: Says,
    generator: random.Random,
    *,
    max_calls: int = 64,
) -> tuple[list[Shown], Message | None]:
    """The replies of the designer and its executors in the prompts of this training, and the
    message that is delivered. None: nothing was delivered, or an executor has no reply. Raises
    ScriptError."""
    shown = [Shown(DESIGNER, world.designer_messages(task), reply)]
    meaning = world.meaning(task, world.script(task, reply)).required()
    same = partial(world.same, task)
    play = play_of(meaning, same, task.query, max_calls=max_calls)
    try:
        while calls := await play.waiting():
            said: dict[int, Message] = {}
            for number, call in calls.items():
                messages = world.executor_messages(task, call, generator)
                told = says(call, messages)
                if told is None or len(shown) > max_calls:
                    return shown, None
                shown.append(Shown(EXECUTOR, messages, told))
                heard = await world.said(task, call, told)
                said[number] = Message(call.agent.name, heard.text, heard.answer, heard.usable)
            await play.answer(said)
    finally:
        await play.close()
    return shown, play.ended.message if play.ended else None


@dataclass(frozen=True, slots=True)
class Demonstrator:
    """No reply is shown that is longer than what may be sampled: it would be cut."""

    world: World
    policies: Mapping[Role, str]
    limits: Mapping[Role, int]

    def demonstrated(self, tasks: Sequence[TaskSpec], places: Sequence[int]) -> list[int]:
        """Of the places in `tasks`, those of tasks to show. Raises MethodError if there is none."""
        found = [place for place in places if self.world.demonstrates(tasks[place])]
        if not found:
            raise MethodError(
                code="no_right_runs",
                message=(
                    "No run of MetaAgent-X was right on a task that this training learns from."
                ),
                remedy=(
                    "Evaluate MetaAgent-X on this split first, with any endpoint and the setting "
                    "tools=program, or set “cold_steps” to 0."
                ),
            )
        return found

    async def demonstrations(
        self, tasks: Sequence[TaskSpec], *, engine: PolicyEngine, generator: random.Random
    ) -> Demonstrations[Role]:
        """Replies for each task, by role. Raises MethodError if there is none at all."""
        found = Demonstrations[Role]({role: [] for role in ROLES})
        for task in tasks:
            for shown in await self.world.demonstrated(task, generator):
                policy, most = self.policies[shown.role], self.limits[shown.role]
                found.add(shown.role, engine, policy, shown.messages, shown.said, most=most)
        if any(found.found.values()):
            return found
        if found.too_long:
            raise MethodError(
                code="demonstrations_too_long",
                message=(
                    f"All of the step's demonstrations have more than {self.limits[DESIGNER]} "
                    f"tokens of a design and {self.limits[EXECUTOR]} of an agent's reply."
                ),
                remedy="Raise design_tokens and max_tokens.",
            )
        raise MethodError(
            code="no_demonstrations",
            message="No run that was right on the step's tasks can be shown in this training.",
            remedy=(
                "Their teams use tools that a training doesn't have, or their scripts are no "
                "longer valid. Evaluate MetaAgent-X again on this training's split, with the "
                "setting tools=program."
            ),
        )
