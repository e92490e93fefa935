"""What the stages of a task leave behind for later ones, and how a trace tells it.

A run whose worker was lost continues after its last finished stage: `remembered` rebuilds from the
stored events what the solver knew then. Draws need no state: each stage has a seed (`choosing`).
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from workers.core.answers.reading import counted
from workers.core.events import (
    AgentFailed,
    AgentFinished,
    Event,
    GraphPlanned,
    LayerSampled,
    StageEnded,
    StagePlanned,
    TaskState,
)
from workers.core.events.stages import Ending
from workers.core.mas.outcome import AgentOutcome
from workers.core.methods.evomas.config import ENSEMBLE
from workers.core.methods.evomas.state import initial_state
from workers.core.specs import AgentId, AgentNode, AnswerForm, GraphSpec

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LETTERS = tuple(
    re.compile(rf"\b(?i:{word})\b[\s*_\"':=(]*([A-Z])\b")
    for word in ("answer|solution_letter|letter", "solution")
)
"""A message that names its choice may name all solutions before."""
PLANNER = "planner"
EVALUATOR = "evaluator"


@dataclass(slots=True)
class Memory:
    """`stages`: how many have ended. `ending`: why no further one follows; None: one does.
    `outcomes`: of all agents so far. An Ensemble's has the solution that it chose; `writers` names
    the agent that wrote it, as the Ensemble's own message is a letter. `left`: outcomes of the last
    layer that left a message. `control`: the newest planner or evaluator. `longest`: seconds of the
    slowest stage."""

    state: TaskState
    stages: int = 0
    ending: Ending | None = None
    graph: GraphSpec = field(default_factory=GraphSpec)
    control: AgentId | None = None
    outcomes: dict[AgentId, AgentOutcome] = field(default_factory=dict)
    left: list[AgentOutcome] = field(default_factory=list)
    writers: dict[AgentId, AgentId] = field(default_factory=dict)
    longest: float = field(default=0.0, compare=False)

    def choose(
        self, said: AgentOutcome, solutions: Sequence[AgentOutcome], answer_form: AnswerForm
    ) -> None:
        """An Ensemble has `said` which of the solutions counts: that is its outcome."""
        if said.usable:
            place = chosen_place(said.answer or said.message, solutions, answer_form)
            chosen = solutions[place]
            self.writers[said.agent_id] = self.writers.get(chosen.agent_id, chosen.agent_id)
            said = replace(said, message=chosen.message, answer=chosen.answer)
        self.outcomes[said.agent_id] = said

    def leave(self, layer: Iterable[AgentId], inputs: list[AgentOutcome]) -> None:
        """A layer that left nothing passes on what it read."""
        self.left = [each for id_ in layer if (each := self.outcomes[id_]).usable] or inputs


def control_id(stage: int, part: str) -> AgentId:
    """Of a planner or an evaluator."""
    return f"s{stage}-{part}"


def form_of(state: TaskState, answer_form: AnswerForm) -> AnswerForm:
    """Those who work on a part of a task answer in words, even if the task wants a program."""
    return answer_form if len(state.subtasks) == 1 else "text"


def remembered(objective: str, events: Iterable[Event], answer_form: AnswerForm = "text") -> Memory:
    """What the solver knows after these events, the last of which is a `stage_ended`. `objective`,
    `answer_form`: the task's."""
    memory = Memory(initial_state(objective))
    layers: list[tuple[AgentId, ...]] = []
    began: float | None = None
    for event in events:
        began = event.at if began is None else began
        if isinstance(event, GraphPlanned):
            memory.graph = event.graph
            newest = event.graph.nodes[-1].id
            memory.control = newest if _is_control(newest) else memory.control
        elif isinstance(event, StagePlanned):
            memory.state, layers = event.state, []
        elif isinstance(event, LayerSampled) and event.agents:
            layers.append(event.agents)
        elif isinstance(event, AgentFinished | AgentFailed):
            memory.outcomes[event.agent_id] = _outcome(event, memory.graph)
        elif isinstance(event, StageEnded):
            _settle(memory, layers, form_of(memory.state, answer_form))
            memory.state, memory.stages, memory.ending = event.state, event.stage, event.ending
            memory.longest, began = max(memory.longest, event.at - began), None
    return memory


def _settle(memory: Memory, layers: Iterable[tuple[AgentId, ...]], answer_form: AnswerForm) -> None:
    roles = {node.id: node.role.key for node in memory.graph.nodes}
    memory.left = []
    for layer in layers:
        inputs = memory.left
        for id_ in layer:
            # The only solution is passed on, and who wrote it stays the Ensemble.
            if roles[id_] == ENSEMBLE and len(inputs) > 1:
                memory.choose(memory.outcomes[id_], inputs, answer_form)
        memory.leave(layer, inputs)


def _outcome(event: AgentFinished | AgentFailed, graph: GraphSpec) -> AgentOutcome:
    node = _node(event.agent_id, graph)
    if isinstance(event, AgentFailed):
        return AgentOutcome(node.id, node.role.name, failure=event.failure)
    return AgentOutcome(node.id, node.role.name, event.message, event.answer, event.refused)


def _node(agent_id: AgentId, graph: GraphSpec) -> AgentNode:
    return next(node for node in reversed(graph.nodes) if node.id == agent_id)


def _is_control(agent_id: AgentId) -> bool:
    part = agent_id.partition("-")[2].partition("-")[0]
    return part in (PLANNER, EVALUATOR)


def chosen_place(
    reply: str, solutions: Sequence[AgentOutcome], answer_form: AnswerForm = "text"
) -> int:
    """The place of the solution whose letter the Ensemble names. Without one: the answer that most
    solutions have, of equals the first."""
    text = reply.strip(" .()*\"'“”\n")
    named = [{text.upper()} if len(text) == 1 else set[str]()]
    named += [set(pattern.findall(reply)) for pattern in _LETTERS]
    letter = next((min(each) for each in named if len(each) == 1), "")
    place = LETTERS.find(letter) if letter else -1
    if 0 <= place < len(solutions):
        return place
    answering = [place for place, each in enumerate(solutions) if each.answer is not None]
    groups = counted([solutions[place].answer or "" for place in answering], answer_form)
    return answering[max(groups, key=len)[0]] if groups else 0
