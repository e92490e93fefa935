"""Solves the tasks of a step on an endpoint, with drawn workflows, and judges the answers."""

from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass, field

from workers.core.benchmarks.entry_points import entry_points
from workers.core.errors import Failure, MethodError
from workers.core.events import AgentDelta, AgentFinished, Assessment, Event, LayerSampled
from workers.core.events.stages import Ending
from workers.core.llm.budget import BudgetedClient, BudgetLedger
from workers.core.llm.spending import JOB
from workers.core.llm.types import BudgetExceeded, ChatClient
from workers.core.mas.context import MethodContext
from workers.core.mas.pictures import pictures_read_by
from workers.core.mas.record import RunRecord
from workers.core.methods.evomas.choosing import Chooser
from workers.core.methods.evomas.config import SolvingConfig
from workers.core.methods.evomas.solving import Stage, StageSolver
from workers.core.methods.evomas.training.learner import Trajectory
from workers.core.specs import GraphSpec, TaskSpec
from workers.core.tools.attachments import with_files_named
from workers.core.tools.base import Tool
from workers.core.tools.toolbox import tools_of_run
from workers.core.training.context import TrainingContext
from workers.core.training.judging import Judge, failures_of_the_endpoint


@dataclass(slots=True)
class Rollout:
    """A task and its result. `late`: its time was over, or too short for a further stage.
    `failures`: those of agents whose endpoint failed. `stopped`: no agent left a message."""

    task: TaskSpec
    answer: str | None = None
    correct: bool = False
    stages: list[Stage] = field(default_factory=list)
    layers: list[LayerSampled] = field(default_factory=list)
    ending: Ending | None = None
    agents: int = 0
    calls: int = 0
    tokens: int = 0
    late: bool = False
    stopped: bool = False
    failures: tuple[Failure, ...] = ()
    graph: GraphSpec = field(default_factory=GraphSpec)
    events: list[Event] = field(default_factory=list)

    @property
    def tells_nothing(self) -> bool:
        """Its result says nothing about the workflows."""
        return self.late or self.stopped or bool(self.failures)

    @property
    def verdicts(self) -> list[Assessment]:
        return [stage.assessment for stage in self.stages if stage.assessment is not None]

    def trajectory(self) -> Trajectory:
        drawn = [(stage, stage.decision.state, stage.decision.sampled) for stage in self.stages]
        kept = [(stage, x, g) for stage, x, g in drawn if x is not None and g is not None]
        return Trajectory(
            states=tuple(state for _, state, _ in kept),
            sampled=tuple(sampled for _, _, sampled in kept),
            stage_rewards=tuple(stage_reward(stage.assessment) for stage, _, _ in kept),
            progress=tuple(stage.progress for stage, _, _ in kept),
            utility=float(self.correct),
        )


def stage_reward(assessment: Assessment | None) -> float:
    """A success earns the evaluator's confidence in it; other verdicts earn nothing."""
    if assessment is None or assessment.verdict != "success":
        return 0.0
    return assessment.confidence


class Rollouts:
    def __init__(
        self, context: TrainingContext, config: SolvingConfig, *, client: ChatClient
    ) -> None:
        self._context = context
        self._config = config
        self._client = client
        self._judge = Judge()

    async def solve(self, task: TaskSpec, chooser: Chooser, *, keep: bool = False) -> Rollout:
        """Raises BudgetExceeded of the whole training, and MethodError (no verifier)."""
        rollout, ledger = Rollout(task), BudgetLedger(self._context.per_system)
        record = RunRecord(chooser.pool)
        client = BudgetedClient(self._client, ledger)
        endpoints = (self._context.endpoint, *self._context.endpoints.values())
        eyes = pictures_read_by(client, endpoints, self._context.per_system)
        async with tools_of_run(self._context.toolbox, task, eyes=eyes) as tools:
            given = self._given(task, client, tools)
            solver = StageSolver(with_files_named(task), self._config, chooser, given)
            try:
                async with aclosing(solver.events()) as events:
                    async for event in events:
                        record.take(event)
                        if isinstance(event, LayerSampled):
                            rollout.layers.append(event)
                        elif isinstance(event, AgentFinished):
                            rollout.calls += event.calls
                        if keep and not isinstance(event, AgentDelta):
                            rollout.events.append(event)
            except BudgetExceeded as error:
                if error.limit == JOB:
                    raise
                # It spent more than it may and ends there; but time says nothing about it.
                rollout.late = error.limit == "seconds"
            except MethodError:
                rollout.stopped = True
        rollout.stages, rollout.ending = solver.stages, solver.ending
        rollout.late |= solver.ending == "out_of_time"
        rollout.graph, rollout.tokens = record.graph, ledger.tokens
        rollout.agents = sum(agent.started for agent in record.agents.values())
        rollout.failures = failures_of_the_endpoint(record)
        rollout.answer = record.answer.answer if record.answer else None
        rollout.correct = await self._judge.correct(task, rollout.answer, record.message())
        return rollout

    def _given(
        self, task: TaskSpec, client: ChatClient, tools: Mapping[str, Tool]
    ) -> MethodContext:
        context = self._context
        return MethodContext(
            llm=client,
            endpoint=context.endpoint,
            seed=context.seed,
            budget=context.per_system,
            pool=context.pool,
            embedder=context.embedder,
            stream=False,
            answer_form=task.answer_form,
            entry_points=entry_points(task),
            tools=tools,
        )
