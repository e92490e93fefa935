"""A team that says what is written down."""

from typing import TypeVar

from workers.core.environments.base import Environment
from workers.core.specs import TaskSpec

S = TypeVar("S")


async def after(team: Environment[S], task: TaskSpec, *messages: str) -> S:
    """The state once the agents have said these, in order and over the turns."""
    state = team.begin(task)
    for place, message in enumerate(messages):
        agent = place % len(team.roles)
        if place and not agent:
            state = team.turned(state)
        state = (await team.act(state, agent, message)).state
    return state
