"""The tools that roles may name."""

from workers.core.tools.base import Tool
from workers.core.tools.browser import BROWSER
from workers.core.tools.calculator import Calculator
from workers.core.tools.examples import ExampleTester
from workers.core.tools.person import PERSON
from workers.core.tools.program import ProgramRunner
from workers.core.tools.read_file import READ_FILE
from workers.core.tools.read_page import READ_PAGE
from workers.core.tools.run_tool import budgeted
from workers.core.tools.sandbox import PythonSandbox
from workers.core.tools.vote import VOTE
from workers.core.tools.web_search import WEB_SEARCH

TOOLS: dict[str, Tool] = {
    tool.key: tool
    for tool in (
        budgeted(Calculator(), calls=200),
        budgeted(PythonSandbox(), calls=100),
        WEB_SEARCH,
        READ_PAGE,
        READ_FILE,
        BROWSER,
        ProgramRunner(),
        VOTE,
        ExampleTester(),
        PERSON,
    )
}
