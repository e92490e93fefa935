"""A played episode, told by the method itself; the two agents follow a script."""

import asyncio

from workers.core.benchmarks.games.episodes import GAMES, task_of
from workers.core.events import Event, GraphPlanned, IntermediateAnswer, RunFinished, RunStarted
from workers.core.llm.types import ChatRequest
from workers.core.mas.tests.support import ScriptedClient, context
from workers.core.methods.at_grpo.method import AtGrpo
from workers.core.specs import Usage

FIRST_AT = 1_760_000_000.0
TASK = task_of(GAMES["plan_path"], "S.#.\n.#..\n...G\n.#..")
SAID = {
    "propose": [
        "Round the wall.\nAnswer: right, down",
        "Along the third row.\nAnswer: right, right",
    ],
    "decide": ["The proposal hits it.\nAnswer: down, right", "Answer: down, right, right, right"],
}


def played() -> list[Event]:
    """In the first turn a wall is in the way; the second turn reaches the goal."""
    return asyncio.run(_played())


async def _played() -> list[Event]:
    left = {who: list(said) for who, said in SAID.items()}

    def script(request: ChatRequest) -> str:
        who = "decide" if "You decide" in request.messages[0].content else "propose"
        return left[who].pop(0)

    given = context(ScriptedClient(script), config={"proposes": "answer"})
    told: list[Event] = [
        RunStarted(
            method="at_grpo",
            query=TASK.query,
            seed=0,
            endpoint="stub",
            model="stub",
            pool=None,
            pool_version=None,
            checkpoint=None,
            trained=None,
        )
    ]
    told += [event async for event in AtGrpo().solve(TASK, given)]
    answer = next(each.answer for each in reversed(told) if isinstance(each, IntermediateAnswer))
    graph = next(each.graph for each in reversed(told) if isinstance(each, GraphPlanned))
    used = Usage(prompt_tokens=240, completion_tokens=120, cost=0)
    told.append(
        RunFinished(answer=answer, message=answer or "", graph=graph, usage=used, seconds=2.0)
    )
    return [
        event.model_copy(update={"at": FIRST_AT + place / 4}) for place, event in enumerate(told)
    ]
