"""Debate: several agents answer, read each other, answer again, and vote (Du et al., 2305.14325).

In each round after the first every agent reads its own last message and those of all others.

Deviations:
 1. An agent reads its own last message among the others', under its debater's name, not as a turn
    of its own conversation. Earlier rounds are not shown again. A small model is not told which
    message is its own (`SMALL_CHECK`).
 2. Temperature 0.7 with a seed for each agent and round: at 0 all would give the same first answer.
 3. An agent that failed or refused in a round speaks again in the next one and abstains from the
    vote.
 4. With `program` the debaters write programs, and read each other's programs and outputs.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from itertools import pairwise

from pydantic import BaseModel, ConfigDict, Field

from workers.core.events import AgentFailed, AgentFinished, Event, GraphPlanned
from workers.core.mas.agent import Team
from workers.core.mas.context import MethodContext
from workers.core.mas.execute import execute_graph
from workers.core.mas.rules import STEPS_FORM
from workers.core.methods.base import Options
from workers.core.methods.configuration import read_config
from workers.core.methods.plans import Plan, samples
from workers.core.methods.program_writer import PROGRAM_WRITER
from workers.core.methods.voting import majority
from workers.core.methods.wordings import SMALL_CHECK, SMALL_STEPS, STEPS, worded
from workers.core.specs import AgentNode, Edge, GraphSpec, PoolSpec, RoleSpec, TaskSpec

Rounds = list[list[str]]


class DebateConfig(BaseModel):
    """How many agents debate, and for how long."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    agents: int = Field(default=3, ge=2, le=8, description="Number of agents that debate (§3: 3).")
    rounds: int = Field(
        default=2, ge=1, le=5, description="Number of rounds, including the first answers (§3: 2)."
    )
    temperature: float = Field(
        default=0.7,
        gt=0,
        le=2,
        description="Sampling temperature. At 0 all agents would give the same answer.",
    )
    program: bool = Field(
        default=False,
        description="If on, every message is a program, and its output is the answer.",
    )


class Debate:
    """agents × rounds. Each agent reads the whole round before. At the end they vote."""

    key = "debate"
    name = "Debate"
    description = (
        "Several agents answer, read each other's answers and answer again. The majority of the "
        "last round wins."
    )
    source = "arXiv:2305.14325"
    needs_pool = False
    learns = False
    config_schema = DebateConfig

    def tools(self, options: Options, pool: PoolSpec | None) -> tuple[str, ...]:
        return PROGRAM_WRITER.tools if options.get("program") else ()

    def plan(self, options: Options, graph: GraphSpec) -> Plan:
        return plan_of(DebateConfig.model_validate(options))

    async def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
        """graph_planned · the agents' events, interleaved; intermediate_answer after each round.

        Raises MethodError if a whole round failed, and BudgetExceeded.
        """
        config = read_config(DebateConfig, context.config)
        rounds = round_ids(config)
        graph = debate_graph(rounds, programs=config.program)
        if not config.program:
            graph = _worded(graph, context)
        team = Team(task.query, context)
        yield GraphPlanned(graph=graph)
        events = execute_graph(graph, team, sampling=plan_of(config).samplings(context.seed))
        waiting = {agent_id for ids in rounds for agent_id in ids}
        step = 1
        async with aclosing(events):
            async for event in events:
                yield event
                if isinstance(event, AgentFinished | AgentFailed):
                    waiting.discard(event.agent_id)
                    while step <= len(rounds) and not waiting.intersection(rounds[step - 1]):
                        said = [team.outcomes[agent_id] for agent_id in rounds[step - 1]]
                        yield majority(said, step=step, answer_form=context.answer_form)
                        step += 1


def plan_of(config: DebateConfig) -> Plan:
    """One sample for each agent and round. The last round votes."""
    rounds = round_ids(config)
    ids = [agent_id for turn in rounds for agent_id in turn]
    return Plan(sampling=samples(ids, config.temperature), voters=tuple(rounds[-1]))


def round_ids(config: DebateConfig) -> Rounds:
    """Agent ids by round: a1 … an, then the same debaters again under the next ids."""
    return [
        [f"a{turn * config.agents + index + 1}" for index in range(config.agents)]
        for turn in range(config.rounds)
    ]


def debate_graph(rounds: Rounds, *, programs: bool = False) -> GraphSpec:
    """Every agent of a round reads every agent of the round before."""
    nodes = [
        AgentNode(
            id=agent_id,
            role=debater(index + 1, first=turn == 0, programs=programs),
            round=turn + 1,
        )
        for turn, ids in enumerate(rounds)
        for index, agent_id in enumerate(ids)
    ]
    edges = [
        Edge(source=source, target=target)
        for before, after in pairwise(rounds)
        for target in after
        for source in before
    ]
    return GraphSpec(nodes=tuple(nodes), edges=tuple(edges))


def _worded(graph: GraphSpec, context: MethodContext) -> GraphSpec:
    def node(given: AgentNode) -> AgentNode:
        prompts = SMALL_STEPS if given.round == 1 else SMALL_CHECK
        role = worded(given.role, prompts, context.endpoint, context.answer_form)
        return given.model_copy(update={"role": role})

    return graph.model_copy(update={"nodes": tuple(map(node, graph.nodes))})


def debater(number: int, *, first: bool, programs: bool = False) -> RoleSpec:
    """All debaters get the same first prompt; later each is told which message is its own."""
    name = f"Debater {number}"
    begin, updated = STEPS, "give your updated answer"
    if programs:
        begin, updated = PROGRAM_WRITER.prompt, "write your updated Python program"
    again = (
        f"You are {name}. Compare your last message with those of the others, keep what is "
        f"right, mend what is wrong, and {updated}."
    )
    return RoleSpec(
        key=f"debater-{number}",
        name=name,
        family="baseline",
        description="Answers, reads what the others answered, and answers again.",
        prompt=begin if first else again,
        output_form=STEPS_FORM if first and not programs else "",
        tools=PROGRAM_WRITER.tools if programs else (),
    )
