"""Runs what agents of an environment write, in the sandbox alone."""

import asyncio
from dataclasses import dataclass

from workers.core.answers.programs import is_python, program_to_run
from workers.core.errors import MethodError
from workers.core.mas.contribution import last_line
from workers.core.tools.base import ToolLimits
from workers.core.tools.sandbox import PythonSandbox, sandbox_status

LIMITS = ToolLimits(seconds=5.0)


@dataclass(frozen=True, slots=True)
class Ran:
    """A message's program; "": it has none. `builds`: it is Python. `runs`: it ended without an
    error. `output` is what it printed, or what went wrong; `printed` its last line."""

    program: str = ""
    builds: bool = False
    runs: bool = False
    output: str = ""
    printed: str | None = None


async def ran(message: str) -> Ran:
    """The last program of the message, once. Raises MethodError if no program can run here."""
    program = program_to_run(message)
    if program is None:
        return Ran()
    await require_sandbox()
    result = await PythonSandbox().run({"code": program}, LIMITS)
    return Ran(program, is_python(program), result.ok, result.output, last_line(result))


async def require_sandbox() -> None:
    """Raises MethodError if no program can run here: that is no agent's fault."""
    ok, detail = await asyncio.to_thread(sandbox_status)
    if not ok:
        raise no_sandbox(detail)


def no_sandbox(detail: str) -> MethodError:
    return MethodError(
        code="no_sandbox",
        message=f"The agents' programs can't run here: {detail}",
        remedy="Repair the sandbox (GET /api/health says what is missing), and start again.",
    )
