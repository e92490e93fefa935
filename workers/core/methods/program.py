"""Program: one agent that writes a program whose output is the answer.

Program of thoughts (Chen et al., arXiv 2211.12588) and program-aided language models (Gao et al.,
arXiv 2211.10435): the model leaves the computing to an interpreter.

Deviations:
 1. The papers show worked examples. Here only the instruction asks for a program (zero-shot), so no
    example favours one domain.
 2. The answer is the last line that the program prints, not a variable `ans` or the value of
    `solution()`: no code of the studio runs inside the sandbox.
 3. A program that fails has no answer. The papers have no fallback either.
"""

from collections.abc import AsyncGenerator

from workers.core.events import Event
from workers.core.mas.context import MethodContext
from workers.core.methods.base import Options
from workers.core.methods.configuration import NoOptions, read_config
from workers.core.methods.program_writer import PROGRAM_WRITER
from workers.core.methods.single import answer_alone
from workers.core.specs import PoolSpec, TaskSpec


class Program:
    key = "program"
    name = "Program"
    description = "One call in which the model writes a Python program. Its output is the answer."
    source = "arXiv:2211.12588"
    needs_pool = False
    learns = False
    config_schema = NoOptions

    def tools(self, options: Options, pool: PoolSpec | None) -> tuple[str, ...]:
        return PROGRAM_WRITER.tools

    def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
        read_config(NoOptions, context.config)
        return answer_alone(PROGRAM_WRITER, task, context)
