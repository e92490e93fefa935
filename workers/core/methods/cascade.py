"""Cascade: one program and, if it gives no answer, another one. It asks again as seldom as
possible.

It is the baseline for policies that may only gain by asking again when there is no answer.

Deviations from cascades of models (Chen et al., arXiv 2305.05176):
 1. The same model is asked again for another sample; the paper continues with a larger model.
 2. It only decides by whether there is an answer, not by a learned score of the answer.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from pydantic import BaseModel, ConfigDict, Field

from workers.core.events import Event, GraphPlanned
from workers.core.graph import add_agent, next_agent_id
from workers.core.mas.agent import Team, run_agent
from workers.core.mas.context import MethodContext
from workers.core.mas.outcome import GREEDY
from workers.core.methods.base import Options
from workers.core.methods.configuration import read_config
from workers.core.methods.outcomes import last_word
from workers.core.methods.plans import Plan, samples
from workers.core.methods.program_writer import PROGRAM_WRITER
from workers.core.specs import GraphSpec, PoolSpec, TaskSpec


class CascadeConfig(BaseModel):
    """How often it asks."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tries: int = Field(
        default=2, ge=1, le=8, description="Most programs to write, including the first."
    )
    temperature: float = Field(
        default=0.7,
        gt=0,
        le=2,
        description=(
            "Sampling temperature from the second program on. The first program is always greedy."
        ),
    )


class Cascade:
    key = "cascade"
    name = "Cascade"
    description = "The model writes a program. If it gives no answer, the model writes another one."
    source = "baseline"
    needs_pool = False
    learns = False
    config_schema = CascadeConfig

    def tools(self, options: Options, pool: PoolSpec | None) -> tuple[str, ...]:
        return PROGRAM_WRITER.tools

    def plan(self, options: Options, graph: GraphSpec) -> Plan:
        """The plan of the agents that were asked: an answer ends a cascade early."""
        sampling = plan_of(CascadeConfig.model_validate(options)).sampling
        asked = {node.id for node in graph.nodes}
        return Plan(sampling={key: each for key, each in sampling.items() if key in asked})

    async def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
        """graph_planned · the agent's events, for each agent; intermediate_answer.

        Every graph_planned has the graph so far. Raises MethodError if no agent left a usable
        message and one failed, and BudgetExceeded.
        """
        config = read_config(CascadeConfig, context.config)
        graph, team = GraphSpec(), Team(task.query, context)
        outcomes = team.outcomes
        samplings = plan_of(config).samplings(context.seed)
        for _ in range(config.tries):
            agent_id = next_agent_id(outcomes)
            graph = add_agent(graph, agent_id=agent_id, role=PROGRAM_WRITER, reads=())
            yield GraphPlanned(graph=graph)
            sampling = samplings.get(agent_id, GREEDY)
            events = run_agent(graph.nodes[-1], (), team=team, sampling=sampling)
            async with aclosing(events):
                async for event in events:
                    yield event
            if outcomes[agent_id].answer is not None:
                break
        yield last_word(list(outcomes.values()))


def plan_of(config: CascadeConfig) -> Plan:
    """The first agent is greedy. Each later one draws its own sample."""
    later = (f"a{number}" for number in range(2, config.tries + 1))
    return Plan(sampling=samples(later, config.temperature))
