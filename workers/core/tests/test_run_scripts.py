"""A whole run of a team that a script describes: its end, its graph, and what it used."""

from workers.core.events import AnswerVerified, Event, RunFailed, RunFinished
from workers.core.mas.tests.support import USAGE, ScriptedClient, endpoint
from workers.core.run import run_execute
from workers.core.specs import Budget, RunSpec, TaskSpec

TASK = TaskSpec(query="What is 6 times 7?", reference="42", verifier="numeric")
HEAD = "from workflow import agent, deliver, ensemble\n"
VOTE = f"""{HEAD}
team = [agent(f"Solver {{n}}", "Solve it.", temperature=0.5) for n in range(3)]
deliver(ensemble(team))"""


async def run(reply: str, budget: Budget | None = None) -> list[Event]:
    said = iter((f"```python\n{reply}\n```", "Answer: 42", "Answer: 41", "Answer: 42"))
    spec = RunSpec(
        task=TASK,
        method="metaagent_x",
        endpoint=endpoint(),
        budget=budget or Budget(),
        method_config={"repairs": 0},
    )
    client = ScriptedClient(lambda _: next(said))
    return [event async for event in run_execute(spec, client=client)]


async def test_the_delivered_answer_is_the_runs_and_is_verified() -> None:
    *_, verdict, end = await run(VOTE)
    assert isinstance(verdict, AnswerVerified)
    assert verdict.correct
    assert isinstance(end, RunFinished)
    assert (end.answer, end.message) == ("42", "Answer: 42")
    assert [node.role.name for node in end.graph.nodes] == ["Solver 0", "Solver 1", "Solver 2"]
    assert end.usage == USAGE + USAGE + USAGE + USAGE


async def test_a_script_that_cannot_be_used_fails_the_run_with_cause_and_remedy() -> None:
    *_, end = await run(f"{HEAD}deliver(agent('A', 'Solve.', tools=['rocket']))")
    assert isinstance(end, RunFailed)
    assert end.failure.code == "unusable_script"
    assert "Line 2: There is no tool “rocket”." in end.failure.message
    assert "Use: " in end.failure.remedy
    assert end.usage == USAGE


async def test_a_spent_budget_fails_the_run() -> None:
    *_, end = await run(VOTE, Budget(max_tokens=20))
    assert isinstance(end, RunFailed)
    assert end.failure.code == "budget_exceeded"
