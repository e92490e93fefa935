"""The tools that roles may name."""

from workers.core.tools.base import Tool
from workers.core.tools.calculator import Calculator
from workers.core.tools.examples import ExampleTester
from workers.core.tools.person import PERSON
from workers.core.tools.program import ProgramRunner
from workers.core.tools.sandbox import PythonSandbox
from workers.core.tools.vote import VOTE

TOOLS: dict[str, Tool] = {
    tool.key: tool
    for tool in (
        Calculator(),
        PythonSandbox(),
        ProgramRunner(),
        VOTE,
        ExampleTester(),
        PERSON,
    )
}
