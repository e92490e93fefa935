"""An agent that tries programs: its answer is the one that passes most of the question's examples.

It asks no model. Each trial is in the trace as a call of the tool `examples`.
"""

from collections.abc import Sequence

from workers.core.mas.contribution import Contribution
from workers.core.mas.examples import examples_in
from workers.core.mas.outcome import AgentOutcome
from workers.core.mas.streaming import Emit
from workers.core.mas.tool_use import Wanted, use_tool
from workers.core.specs import AnswerForm
from workers.core.tools.base import Tool
from workers.core.tools.examples import examples_passed

NO_PROGRAM = "REFUSE: no agent that I read has given a program."
NO_EXAMPLE = "REFUSE: the question gives no example to try a program on."


async def try_programs(
    query: str,
    inputs: Sequence[AgentOutcome],
    *,
    tool: Tool,
    agent_id: str,
    answer_form: AnswerForm,
    emit: Emit,
) -> Contribution:
    """The trials and their winner. Of equals the program given first wins."""
    given = [(o.name, o.answer) for o in inputs if o.answer is not None and answer_form == "code"]
    if not given:
        return _refusal(NO_PROGRAM)
    asked = examples_in(query)
    if not asked.examples:
        return _refusal(NO_EXAMPLE)
    lines, winner, most = [], "", -1
    for number, (name, program) in enumerate(given, start=1):
        arguments = {
            "program": program,
            "prelude": asked.prelude,
            "examples": [list(example) for example in asked.examples],
        }
        result = await use_tool(
            Wanted(f"trial-{number}", tool.key, arguments),
            tools=(tool,),
            agent_id=agent_id,
            emit=emit,
        )
        lines.append(f"- {name}: {result.output}")
        if examples_passed(result) > most:
            winner, most = program, examples_passed(result)
    text = "\n".join(["Tried on the examples of the question:", *lines, ""])
    return Contribution(f"{text}\n```python\n{winner}\n```", winner, refused=False, truncated=False)


def _refusal(text: str) -> Contribution:
    return Contribution(text, None, refused=True, truncated=False)
