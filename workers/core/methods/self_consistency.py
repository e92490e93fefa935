"""Self-consistency: k chains of thought and their most frequent answer (arXiv 2203.11171).

Deviations:
 1. k is 5 by default; the paper samples 40. Temperature 0.7 is the paper's for large models.
 2. Votes count equal answers of any spelling (`workers.core.answers.reading.vote`). A refusal, a
    failure and a message without an answer abstain. A tie goes to the earliest sample.
 3. With `program` the samples are programs of thought (arXiv 2211.12588, §3) instead of chains.
"""

from collections.abc import AsyncGenerator

from pydantic import BaseModel, ConfigDict, Field

from workers.core.events import Event
from workers.core.mas.context import MethodContext
from workers.core.mas.rules import STEPS_FORM
from workers.core.methods.base import Options
from workers.core.methods.configuration import read_config
from workers.core.methods.planned import run_planned
from workers.core.methods.plans import Plan, samples
from workers.core.methods.program_writer import PROGRAM_WRITER
from workers.core.methods.wordings import SMALL_STEPS, STEPS, worded
from workers.core.specs import AgentNode, GraphSpec, PoolSpec, RoleSpec, TaskSpec

ROLE = RoleSpec(
    key="self-consistency",
    name="Independent reasoner",
    family="baseline",
    description="Works through the question step by step, independently of the other samples.",
    prompt=STEPS,
    output_form=STEPS_FORM,
)


class SelfConsistencyConfig(BaseModel):
    """How many samples to draw, and how varied they are."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    k: int = Field(
        default=5, ge=1, le=32, description="Number of samples that vote (k; the paper: 40)."
    )
    temperature: float = Field(
        default=0.7,
        gt=0,
        le=2,
        description="Sampling temperature. At 0 all samples would be the same.",
    )
    program: bool = Field(
        default=False, description="If on, each sample is a program, and its output is its vote."
    )


class SelfConsistency:
    key = "self_consistency"
    name = "Self-consistency"
    description = "The model reasons several times independently. The most frequent answer wins."
    source = "arXiv:2203.11171"
    needs_pool = False
    learns = False
    config_schema = SelfConsistencyConfig

    def tools(self, options: Options, pool: PoolSpec | None) -> tuple[str, ...]:
        return PROGRAM_WRITER.tools if options.get("program") else ()

    def plan(self, options: Options, graph: GraphSpec) -> Plan:
        return plan_of(SelfConsistencyConfig.model_validate(options))

    def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
        """graph_planned · the agents' events, interleaved · intermediate_answer.

        Raises MethodError if no sample could be drawn, and BudgetExceeded.
        """
        config = read_config(SelfConsistencyConfig, context.config)
        reasoner = worded(ROLE, SMALL_STEPS, context.endpoint, context.answer_form)
        role = PROGRAM_WRITER if config.program else reasoner
        plan = plan_of(config)
        graph = GraphSpec(
            nodes=tuple(AgentNode(id=agent_id, role=role) for agent_id in plan.voters)
        )
        return run_planned(graph, query=task.query, context=context, summary=False, plan=plan)


def plan_of(config: SelfConsistencyConfig) -> Plan:
    ids = tuple(f"a{index + 1}" for index in range(config.k))
    return Plan(sampling=samples(ids, config.temperature), voters=ids)
