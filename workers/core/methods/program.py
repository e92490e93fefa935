"""Program: one agent that writes a program whose output is the answer.

Program of thoughts (Chen et al., arXiv 2211.12588) and program-aided language models (Gao et al.,
arXiv 2211.10435): the model leaves the computing to an interpreter.

Deviations:
 1. The papers show worked examples; here the instruction alone asks for a program (zero-shot), so
    that no example favours one domain.
 2. The answer is the last line that the program prints, not a variable `ans` or the value of
    `solution()`: nothing of the studio runs inside the sandbox.
 3. A program that fails has no answer; the papers fall back to nothing either.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from pydantic import BaseModel, ConfigDict

from workers.core.events import Event
from workers.core.mas.context import MethodContext
from workers.core.methods.base import Options
from workers.core.methods.configuration import read_config
from workers.core.methods.program_writer import PROGRAM_WRITER
from workers.core.methods.single import answer_alone
from workers.core.specs import PoolSpec, TaskSpec


class ProgramConfig(BaseModel):
    """No options."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Program:
    """One agent, one call, one program run in the sandbox."""

    key = "program"
    name = "Program"
    description = (
        "One call in which the model writes a Python program; what it prints is the answer."
    )
    source = "arXiv:2211.12588"
    needs_pool = False
    learns = False
    config_schema = ProgramConfig

    def tools(self, options: Options, pool: PoolSpec | None) -> tuple[str, ...]:
        return PROGRAM_WRITER.tools

    async def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
        """See `workers.core.methods.single`."""
        read_config(ProgramConfig, context.config)
        async with aclosing(answer_alone(PROGRAM_WRITER, task, context)) as events:
            async for event in events:
                yield event
