"""Algorithm 1: stage by stage plan, choose a workflow, run it, assess it, update the state.

Planner, evaluator and the final agent are agents like all others: they ask the run's endpoint under
the run's budget, and stand in its trace. A reply that can't be used is repaired once. Then the plan
stays as it is, or the verdict is “refine”, and an event says why.
"""

import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from workers.core.events import (
    AgentFinished,
    AgentStarted,
    Assessment,
    Event,
    GraphPlanned,
    LayerSampled,
    StageAssessed,
    StageEnded,
    StagePlanned,
    StageSubtask,
)
from workers.core.events.stages import Ending, Origin
from workers.core.llm.types import ChatMessage
from workers.core.mas.agent import AgentTurn, Messages, Team, Terms, run_agent
from workers.core.mas.context import MethodContext
from workers.core.mas.outcome import AgentOutcome
from workers.core.mas.pool import MessagePool
from workers.core.mas.streaming import Emit, TaskStream
from workers.core.mas.tool_rounds import tool_rounds
from workers.core.methods.evomas.agents import (
    ANSWER_ROLE,
    EVALUATOR_ROLE,
    PLANNER_ROLE,
    playable,
)
from workers.core.methods.evomas.choosing import Chooser, Decision
from workers.core.methods.evomas.config import ENSEMBLE, SolvingConfig
from workers.core.methods.evomas.evaluator import (
    UNSURE,
    AssessmentError,
    question,
    read_assessment,
    repair,
)
from workers.core.methods.evomas.memory import (
    EVALUATOR,
    LETTERS,
    PLANNER,
    control_id,
    form_of,
    remembered,
)
from workers.core.methods.evomas.planner import (
    PlanError,
    planner_messages,
    read_plan,
    repair_messages,
)
from workers.core.methods.evomas.state import (
    Artifact,
    active_of,
    compact,
    full,
    is_complete,
    progress,
    replanned,
    updated,
)
from workers.core.methods.evomas.workflow import agents_of, between, edges_of
from workers.core.methods.outcomes import last_word, speaker_of, stopping_failure
from workers.core.specs import (
    AgentId,
    AgentNode,
    Edge,
    GraphSpec,
    RoleSpec,
    TaskSpec,
    Usage,
)

FINAL = "answer"
MARGIN = 2.0
"""A stage may take this many times longer than the slowest one before it."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What a training learns from: a workflow, how far the task was before it, and its verdict if
    an evaluator gave one."""

    decision: Decision
    progress: str
    assessment: Assessment | None


class StageSolver:
    """One task. `memory` and `stages` fill up as `events` are read. `stages` has those of this
    solver alone, without the ones that it takes over from a lost attempt (`context.earlier`)."""

    def __init__(
        self, task: TaskSpec, config: SolvingConfig, chooser: Chooser, context: MethodContext
    ) -> None:
        self._task = task
        self._config = config
        self._chooser = chooser
        self._context = context
        self._names = {role.key: role.name for role in chooser.pool.roles}
        self._messages: Messages = MessagePool()
        self._began = time.monotonic() - context.seconds_used
        self.memory = remembered(task.query, context.earlier, context.answer_form)
        self.stages: list[Stage] = []

    @property
    def ending(self) -> Ending | None:
        return self.memory.ending

    async def events(self) -> AsyncGenerator[Event]:
        """For each stage [the planner's events] · stage_planned · layer_sampled of each layer ·
        graph_planned · the agents' events · [the evaluator's events · stage_assessed] ·
        stage_ended. Then [the final agent's events] · intermediate_answer.

        Raises MethodError if no agent ever left a message and one failed, and BudgetExceeded.
        """
        while self.ending is None:
            async with aclosing(self._stage(self.memory.stages + 1)) as events:
                async for event in events:
                    yield event
        async with aclosing(self._answer()) as events:
            async for event in events:
                yield event

    async def _stage(self, stage: int) -> AsyncGenerator[Event]:
        began = time.monotonic()
        async with aclosing(self._planned(stage)) as events:
            async for event in events:
                yield event
        decision = await self._chooser.choose(compact(self.memory.state, self._names), stage)
        before = progress(self.memory.state, stages_left=self._config.stages - stage + 1)
        nodes = self._nodes(stage, decision)
        for event in self._told(stage, decision, nodes):
            yield event
        if any(nodes):
            yield self._grown(nodes)
        async with aclosing(self._worked(nodes)) as events:
            async for event in events:
                yield event
        self._require_somebody()
        assessment: Assessment | None = None
        if self._config.state and (any(nodes) or not decision.exits):
            async with aclosing(self._assessed(stage)) as events:
                async for event in events:
                    if isinstance(event, StageAssessed):
                        assessment = event.assessment
                    yield event
        self.stages.append(Stage(decision, before, assessment))
        if assessment is not None:
            layers = [[node.role.key for node in layer] for layer in nodes]
            self.memory.state = updated(
                self.memory.state, layers, self._artifact(), assessment, stage=stage
            )
        memory = self.memory
        memory.stages, memory.longest = stage, max(memory.longest, time.monotonic() - began)
        memory.ending = self._ending(stage, decision, worked=any(nodes))
        yield StageEnded(stage=stage, state=memory.state, ending=memory.ending)

    def _ending(self, stage: int, decision: Decision, *, worked: bool) -> Ending | None:
        if is_complete(self.memory.state):
            return "completed"
        if decision.exits and (not worked or self._config.exit_ends == "task"):
            return "early_exit"
        if not self._config.state:
            return "unassessed"
        if stage == self._config.stages:
            return "out_of_stages"
        # A stage that the run's time cuts off would cost the answer, too.
        left = self._context.budget.max_seconds - (time.monotonic() - self._began)
        return "out_of_time" if MARGIN * self.memory.longest > left else None

    # -- the plan

    async def _planned(self, stage: int) -> AsyncGenerator[Event]:
        if not self._plans_now():
            yield self._stage_planned(stage, "given")
            return
        config, context = self._config, self._plain()
        small = context.endpoint.is_small
        asked = planner_messages(self.memory.state, most=config.max_subtasks, small_model=small)
        problem = ""
        origin: Origin = "model"
        messages: tuple[ChatMessage, ...] = asked
        for agent_id in _tries(control_id(stage, PLANNER), once=small):
            async with aclosing(self._control_turn(agent_id, PLANNER_ROLE, messages)) as events:
                async for event in events:
                    yield event
            outcome = self.memory.outcomes[agent_id]
            try:
                plan = read_plan(outcome.message)
            except PlanError as error:
                failure = outcome.failure
                why = f"the planner failed ({failure.code})." if failure else str(error)
                problem = problem or why
                if failure is not None:
                    break
                origin = "repaired"
                messages = repair_messages(asked, outcome.message, why)
            else:
                self.memory.state, left_out = replanned(
                    self.memory.state, plan, most=config.max_subtasks
                )
                yield self._stage_planned(stage, origin, problem, left_out, agent_id)
                return
        yield self._stage_planned(stage, "fallback", problem, 0, agent_id)

    def _plans_now(self) -> bool:
        if not self._config.state or self._config.max_subtasks == 1:
            return False
        last = self.memory.state.assessment
        if last is not None and self._context.endpoint.is_small:
            return False
        return last is None or self._config.planner == "always" or last.verdict != "success"

    def _stage_planned(
        self,
        stage: int,
        origin: Origin,
        problem: str = "",
        left_out: int = 0,
        agent_id: AgentId | None = None,
    ) -> StagePlanned:
        return StagePlanned(
            stage=stage,
            state=self.memory.state,
            compact=compact(self.memory.state, self._names),
            origin=origin,
            problem=problem,
            left_out=left_out,
            agent_id=agent_id,
        )

    # -- the workflow

    def _nodes(self, stage: int, decision: Decision) -> list[list[AgentNode]]:
        layers = playable(tuple(layer.roles for layer in decision.layers))
        return [
            [
                AgentNode(id=f"s{stage}l{place}a{number}", role=role, round=stage)
                for number, role in enumerate(layer, start=1)
            ]
            for place, layer in enumerate(layers, start=1)
        ]

    def _told(
        self, stage: int, decision: Decision, nodes: Sequence[Sequence[AgentNode]]
    ) -> list[Event]:
        """An event for each layer. A layer whose only agent is Early-exit has no agents."""
        waiting = list(nodes)
        told: list[Event] = []
        for place, layer in enumerate(decision.layers, start=1):
            keys = {role.key for role in layer.roles}
            runs = waiting and all(node.role.key in keys for node in waiting[0])
            agents = waiting.pop(0) if runs else []
            told.append(
                LayerSampled(
                    stage=stage,
                    layer=place,
                    candidates=layer.candidates,
                    log_probability=layer.log_probability,
                    mass=self._config.mass,
                    most=self._config.layer_agents,
                    greedy=self._chooser.seed is None,
                    fixed=bool(self._chooser.fixed),
                    agents=tuple(node.id for node in agents),
                )
            )
        return told

    def _grown(self, nodes: Sequence[Sequence[AgentNode]]) -> GraphPlanned:
        """The run's graph with the workflow, whose first layer follows what was asked last."""
        graph = self.memory.graph
        before = [self.memory.control] if self.memory.control else []
        first = between(before, [node.id for node in nodes[0]])
        self.memory.graph = GraphSpec(
            nodes=(*graph.nodes, *agents_of(nodes)),
            edges=(*graph.edges, *first, *edges_of(nodes)),
        )
        return GraphPlanned(graph=self.memory.graph)

    async def _worked(self, nodes: Sequence[Sequence[AgentNode]]) -> AsyncGenerator[Event]:
        """Layer by layer; the agents of a layer at the same time."""
        self.memory.left = []
        before: list[AgentOutcome] = []
        context = full(self.memory.state)
        team = self._team(context.question)
        for layer in nodes:
            inputs = self.memory.left
            stream = TaskStream()
            try:
                for node in layer:
                    # Nothing is left to compare where all before an Ensemble failed: so does it.
                    reads = inputs or before if node.role.key == ENSEMBLE else inputs
                    stream.spawn(self._turn(node, reads, context.found, team, stream.emit))
                async for event in stream:
                    yield event
            finally:
                await stream.close()
            before = [self.memory.outcomes[node.id] for node in layer]
            self.memory.leave((node.id for node in layer), inputs)

    async def _turn(
        self,
        node: AgentNode,
        inputs: Sequence[AgentOutcome],
        found: Sequence[AgentOutcome],
        team: Team,
        emit: Emit,
    ) -> None:
        """`found`: what earlier stages left, which every agent reads."""
        if inputs and not any(each.usable for each in inputs):
            return await AgentTurn(node, team, emit).perform(inputs)
        if node.role.key != ENSEMBLE or not inputs:
            terms = self._terms(node.role)
            return await AgentTurn(node, team, emit).perform([*found, *inputs], terms=terms)
        if len(inputs) == 1:
            return self._pass_on(node, inputs[0], emit)
        lettered = [
            replace(each, name=f"Solution {letter}")
            for each, letter in zip(inputs, LETTERS, strict=False)
        ]
        await AgentTurn(node, team, emit).perform([*found, *lettered])
        self.memory.choose(self.memory.outcomes[node.id], inputs, team.context.answer_form)

    def _pass_on(self, node: AgentNode, only: AgentOutcome, emit: Emit) -> None:
        """Of one solution there is nothing to choose: no model is asked."""
        role = node.role
        emit(
            AgentStarted(
                agent_id=node.id,
                role_key=role.key,
                role_name=role.name,
                family=role.family,
                reads=(only.agent_id,),
                endpoint=self._context.endpoint.key,
            )
        )
        outcome = AgentOutcome(node.id, role.name, only.message, only.answer)
        self.memory.outcomes[node.id] = outcome
        emit(
            AgentFinished(
                agent_id=node.id,
                message=only.message,
                answer=only.answer,
                usage=Usage.zero(),
                seconds=0,
                calls=0,
            )
        )

    # -- the verdict

    async def _assessed(self, stage: int) -> AsyncGenerator[Event]:
        subtask = active_of(self.memory.state).id
        if not self.memory.left:
            missing = Assessment(
                verdict="fail", confidence=1.0, feedback="No agent of the workflow left a message."
            )
            yield StageAssessed(stage=stage, subtask=subtask, assessment=missing, origin="given")
            return
        role = EVALUATOR_ROLE
        small = self._context.endpoint.is_small
        if small or not self._config.evaluator_tools:
            role = role.model_copy(update={"tools": ()})
        problem, asked = "", question(self.memory.state, small_model=small)
        origin: Origin = "model"
        for agent_id in _tries(control_id(stage, EVALUATOR), once=small):
            turn = self._control_turn(agent_id, role, inputs=self.memory.left, query=asked)
            async with aclosing(turn) as events:
                async for event in events:
                    yield event
            outcome = self.memory.outcomes[agent_id]
            try:
                assessment = read_assessment(outcome.message)
            except AssessmentError as error:
                failure = outcome.failure
                why = f"the evaluator failed ({failure.code})." if failure else str(error)
                problem = problem or why
                if failure is not None:
                    break
                asked = repair(self.memory.state, why)
                origin = "repaired"
            else:
                yield StageAssessed(
                    stage=stage,
                    subtask=subtask,
                    assessment=assessment,
                    origin=origin,
                    problem=problem,
                    agent_id=agent_id,
                )
                return
        unknown = Assessment(
            verdict="refine", confidence=UNSURE, feedback="The evaluator gave no verdict."
        )
        yield StageAssessed(
            stage=stage,
            subtask=subtask,
            assessment=unknown,
            origin="fallback",
            problem=problem,
            agent_id=agent_id,
        )

    def _artifact(self) -> Artifact:
        if not self.memory.left:
            return Artifact()
        speaker = speaker_of(self.memory.left)
        if len(self.memory.left) == 1:
            return Artifact(speaker.message, speaker.agent_id)
        said = "\n\n".join(f"{outcome.name}: {outcome.message}" for outcome in self.memory.left)
        return Artifact(said, speaker.agent_id)

    # -- the answer

    async def _answer(self) -> AsyncGenerator[Event]:
        """From the final state. Where the task was its only subtask, what the last stage left is
        the answer already."""
        if len(self.memory.state.subtasks) == 1 and self.memory.left:
            said = last_word(self.memory.left, step=self.memory.stages)
            by = said.agent_id or ""
            yield said.model_copy(update={"agent_id": self.memory.writers.get(by, by)})
            return
        results = [
            replace(self.memory.outcomes[each.by], name=f"Result {place}", message=_result(each))
            for place, each in enumerate(self.memory.state.subtasks, start=1)
            if each.by is not None and each.artifact
        ]
        sources = [result.agent_id for result in results]
        node = AgentNode(id=FINAL, role=ANSWER_ROLE)
        edges = [Edge(source=source, target=FINAL) for source in dict.fromkeys(sources)]
        self.memory.graph = GraphSpec(
            nodes=(*self.memory.graph.nodes, node), edges=(*self.memory.graph.edges, *edges)
        )
        yield GraphPlanned(graph=self.memory.graph)
        team = Team(self._task.query, self._context, self._messages, self.memory.outcomes)
        turn = run_agent(node, results, team=team, terms=self._terms(node.role))
        async with aclosing(turn) as events:
            async for event in events:
                yield event
        # What a stage left answers a subtask: it is no answer of the whole task.
        yield last_word([self.memory.outcomes[FINAL]], step=self.memory.stages)

    # -- what agents share

    async def _control_turn(
        self,
        agent_id: AgentId,
        role: RoleSpec,
        messages: tuple[ChatMessage, ...] = (),
        *,
        inputs: Sequence[AgentOutcome] = (),
        query: str = "",
    ) -> AsyncGenerator[Event]:
        """The planner or the evaluator as an agent of the graph."""
        node = AgentNode(id=agent_id, role=role)
        before = [self.memory.control] if self.memory.control else []
        reads = [outcome.agent_id for outcome in inputs] or before
        edges = [Edge(source=each, target=agent_id) for each in reads]
        self.memory.graph = GraphSpec(
            nodes=(*self.memory.graph.nodes, node), edges=(*self.memory.graph.edges, *edges)
        )
        self.memory.control = agent_id
        yield GraphPlanned(graph=self.memory.graph)
        team = Team(query, self._plain(), self._messages, self.memory.outcomes)
        terms = self._terms(role)
        turn = run_agent(node, inputs, team=team, messages=messages, terms=terms)
        async with aclosing(turn) as events:
            async for event in events:
                yield event

    def _terms(self, role: RoleSpec) -> Terms:
        usual, browsing = self._config.tool_rounds, self._config.browser_rounds
        return Terms(tool_rounds=tool_rounds(role.tools, usual=usual, browsing=browsing))

    def _team(self, query: str) -> Team:
        is_whole = (
            form_of(self.memory.state, self._context.answer_form) == self._context.answer_form
        )
        context = self._context if is_whole else self._plain()
        about = active_of(self.memory.state).text
        return Team(query, context, self._messages, self.memory.outcomes, about=about)

    def _plain(self) -> MethodContext:
        return replace(self._context, answer_form="text", entry_points=())

    def _require_somebody(self) -> None:
        """Raise the first failure if no agent of the whole run has left a message: the endpoint is
        dead."""
        outcomes = list(self.memory.outcomes.values())
        failure = stopping_failure(outcomes)
        if failure is not None and not any(outcome.usable for outcome in outcomes):
            raise failure


def _tries(agent_id: AgentId, *, once: bool) -> tuple[AgentId, ...]:
    """Told what was wrong with its reply, a small model repeats it. So it is asked once."""
    return (agent_id,) if once else (agent_id, f"{agent_id}-again")


def _result(subtask: StageSubtask) -> str:
    open_ = "" if subtask.status == "DONE" else " (not confirmed)"
    return f"{subtask.text}{open_}\n{subtask.artifact}"
