"""Direct: one call, no reasoning asked for. The floor that every other method is compared with."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from pydantic import BaseModel, ConfigDict

from workers.core.events import Event
from workers.core.mas.context import MethodContext
from workers.core.methods.configuration import read_config
from workers.core.methods.single import answer_alone
from workers.core.methods.wordings import SMALL_DIRECT, worded
from workers.core.specs import RoleSpec, TaskSpec

ROLE = RoleSpec(
    key="direct",
    name="Direct answer",
    family="baseline",
    description="Answers the question at once, without showing any reasoning.",
    prompt="Answer the question. Give only the answer, without an explanation.",
)


class DirectConfig(BaseModel):
    """No options."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Direct:
    """One agent, one call."""

    key = "direct"
    name = "Direct"
    description = "One call to the model, answer only. The baseline that costs the least."
    source = "baseline"
    needs_pool = False
    learns = False
    config_schema = DirectConfig

    async def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
        """See `workers.core.methods.single`."""
        read_config(DirectConfig, context.config)
        role = worded(ROLE, SMALL_DIRECT, context.endpoint, context.answer_form)
        async with aclosing(answer_alone(role, task, context)) as events:
            async for event in events:
                yield event
