"""A whole run of a team in an environment: its answer is verified like that of every method."""

import pytest

from workers.core.benchmarks.mbpp import MBPP
from workers.core.events import AnswerVerified, RunFinished
from workers.core.mas.tests.support import ScriptedClient, endpoint
from workers.core.run import run_execute
from workers.core.specs import RunSpec, TaskSpec

SUM = TaskSpec(query="What is 6 times 7?", reference="42", verifier="numeric")
MBPP_TASK = MBPP.task(
    {
        "text": "Write a function double.",
        "test_list": ["assert double(4) == 8", "assert double(50) == 100"],
        "code": "def double(n):\n    return 2 * n",
    }
)


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize(
    ("task", "messages", "answer"),
    [
        (SUM, ["Answer: 42", "```python\nprint(6 * 7)\n```"], "42"),
        (
            MBPP_TASK,
            [
                "```python\ndef double(n): return n + n\n```",
                "```python\nassert double(3) == 6\n```",
            ],
            "def double(n): return n + n",
        ),
    ],
)
async def test_the_teams_answer_is_the_runs_and_is_verified(
    task: TaskSpec, messages: list[str], answer: str
) -> None:
    client = ScriptedClient(lambda _: messages.pop(0))
    spec = RunSpec(task=task, method="at_grpo", endpoint=endpoint())
    events = [event async for event in run_execute(spec, client=client)]
    (verdict,) = [event for event in events if isinstance(event, AnswerVerified)]
    assert verdict.correct
    assert isinstance(events[-1], RunFinished)
    assert events[-1].answer == answer
    said = " ".join(each.content for request in client.requests for each in request.messages)
    assert "double(50)" not in said
