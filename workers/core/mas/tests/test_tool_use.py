"""Tool calls as models write them."""

import orjson
import pytest

from workers.core.events import ToolCalled
from workers.core.llm.types import ChatResult, ToolCall
from workers.core.mas.tool_use import wanted_calls
from workers.core.plain_text import encode
from workers.core.specs import Usage
from workers.core.tools.calculator import Calculator

WRITTEN = '{"expression": %s, "note": "\\u0000"}'


@pytest.mark.parametrize(
    ("number", "kept"),
    [
        ("-9223372036854775808", -(2**63)),
        ("18446744073709551616", "18446744073709551616"),
        ("1" + 400 * "0", "1" + 400 * "0"),
        ("1" + 9_000 * "0", "1" + 9_000 * "0"),
    ],
)
@pytest.mark.parametrize("native", [True, False])
def test_a_number_that_traces_cannot_hold_stays_a_text(
    number: str, kept: int | str, *, native: bool
) -> None:
    arguments = WRITTEN % number
    block = f'```tool\n{{"tool": "calculator", "arguments": {arguments}}}\n```'
    calls = (ToolCall(id="a", name="calculator", arguments=arguments),) if native else ()
    text = "" if native else block
    said = ChatResult(text, "stop", Usage.zero(), 0.0, tool_calls=calls)
    [wanted] = wanted_calls(said, [Calculator()], earlier=(), first_id=1)
    event = ToolCalled(agent_id="a", call_id="a", tool="calculator", arguments=wanted.arguments)
    assert orjson.loads(encode(event))["arguments"]["expression"] == kept
