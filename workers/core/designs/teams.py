"""Says a drawing in the language of scripts, as far as a script says the same.

The team becomes the block that fits: a sequence, an ensemble or a debate, else a graph. Drawn again
(`scripts.design_of_team`) it is the same design, up to places, to the ids of agents that are not
nodes of a graph, and to what `changes` names. `StaysDrawing` names what a script can't say.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from workers.core.designs.problems import (
    NOT_IN_SCRIPTS,
    SCRIPT_TOOLS,
    Problem,
    find_problems,
    names_of,
)
from workers.core.designs.spec import DesignAgent, DesignSpec, DraftRole, graph_of
from workers.core.graph import predecessors
from workers.core.mas.prompts import SUMMARY_ROLE, refuse_rule
from workers.core.mas.summary import SUMMARY_ID
from workers.core.methods.design import speaking_order
from workers.core.scripts.blocks import (
    MOST_AGENTS,
    NAME_CHARS,
    PROMPT_CHARS,
    Block,
    BlockError,
    agent,
    debate,
    ensemble,
    graph,
    sequence,
)
from workers.core.scripts.meaning import meaning_of
from workers.core.scripts.writing import script_of
from workers.core.specs import AgentId, Edge
from workers.core.tools.registry import TOOLS


class StaysDrawing(ValueError):
    """`reasons`: at least one."""

    def __init__(self, reasons: Iterable[Problem]) -> None:
        self.reasons = tuple(reasons)
        super().__init__(" ".join(each.placed for each in self.reasons))


def script_of_design(design: DesignSpec) -> str:
    """Raises StaysDrawing."""
    script = script_of(team_of_design(design))
    if problems := meaning_of(script, SCRIPT_TOOLS).problems:
        raise StaysDrawing(_reason(each.code, each.message, each.remedy) for each in problems)
    return script


def team_of_design(design: DesignSpec) -> Block:
    """Raises StaysDrawing."""
    plain = _plain(design)
    if reasons := [*_reasons(design, plain)]:
        raise StaysDrawing(reasons)
    try:
        return _Team(plain).block()
    except BlockError as error:
        raise StaysDrawing([_reason("no_block", str(error), "Use fewer agents.")]) from error


def changes(design: DesignSpec) -> list[str]:
    """What the script says otherwise or leaves out, a sentence each."""
    names = names_of(design)
    roles = [(names[each.id], each.role) for each in design.agents]
    found = [
        f"The rule of {name} about when to refuse becomes part of its prompt."
        for name, role in roles
        if role.refuse_condition.strip()
    ]
    found += [
        f"The output form of {name} becomes the end of its prompt."
        for name, role in roles
        if role.output_form.strip()
    ]
    if design.summary:
        found.append("The summary agent becomes an agent “Summary” that reads all others.")
    if any(each.temperature for each in design.agents):
        found.append("Agents above temperature 0 draw other samples than in the drawing.")
    if any(role.description or role.capabilities for _, role in roles):
        found.append("Descriptions and capabilities are left out. No agent reads them.")
    return found


def _reason(code: str, message: str, remedy: str, agent_id: AgentId | None = None) -> Problem:
    return Problem(severity="error", code=code, message=message, remedy=remedy, agent_id=agent_id)


def _plain(design: DesignSpec) -> DesignSpec:
    """The same with everything that agents read in their prompts, and the summary as an agent."""
    agents = tuple(each.model_copy(update={"role": _plain_role(each)}) for each in design.agents)
    if not design.summary or not agents:
        return design.model_copy(update={"agents": agents})
    ids = {each.id for each in agents}
    own = next(name for number in range(len(ids) + 1) if (name := _numbered(number)) not in ids)
    summary = DesignAgent(
        id=own, role=DraftRole.of(SUMMARY_ROLE), temperature=design.summary_temperature
    )
    return design.model_copy(
        update={
            "agents": (*agents, summary),
            "edges": (*design.edges, *(Edge(source=each.id, target=own) for each in agents)),
            "answer_from": own,
            "summary": False,
        }
    )


def _numbered(number: int) -> str:
    return SUMMARY_ID if not number else f"{SUMMARY_ID}-{number}"


def _plain_role(drawn: DesignAgent) -> DraftRole:
    role = drawn.role
    refusing = refuse_rule(role.finished()) if _refuses(role) else ""
    parts = (role.prompt, refusing, role.output_form.strip())
    prompt = "\n\n".join(part for part in parts if part)
    return role.model_copy(update={"prompt": prompt, "refuse_condition": "", "output_form": ""})


def _refuses(role: DraftRole) -> bool:
    return bool(role.refuse_condition.strip() and role.name and role.prompt)


def _reasons(design: DesignSpec, plain: DesignSpec) -> Iterator[Problem]:
    """Why it is no team. `plain`: the design with its agents as a script would have them."""
    known = {each.endpoint for each in design.agents if each.endpoint}
    for problem in find_problems(design, endpoints=known, tools=TOOLS.keys()):
        if problem.severity == "error":
            yield problem
    if len(plain.agents) > MOST_AGENTS:
        yield _reason(
            "too_many_agents",
            f"The drawing has {len(plain.agents)} agents. A script's team has at most "
            f"{MOST_AGENTS}.",
            "Remove some, or leave it a drawing.",
        )
    names = names_of(plain)
    for each in plain.agents:
        for code, message, remedy in _of_agent(each, names[each.id]):
            yield _reason(code, message, remedy, each.id)


def _of_agent(drawn: DesignAgent, name: str) -> Iterator[tuple[str, str, str]]:
    role = drawn.role
    if drawn.endpoint is not None:
        yield (
            "own_endpoint",
            f"{name} uses the endpoint “{drawn.endpoint}”. In a script all agents use the run's.",
            "Choose the run's endpoint for it.",
        )
    for tool in role.tools:
        if tool in NOT_IN_SCRIPTS:
            yield (
                "no_such_agent",
                NOT_IN_SCRIPTS[tool].format(name),
                f"Remove the tool “{tool}”, or leave it a drawing.",
            )
    if len(role.name) > NAME_CHARS:
        yield (
            "long_name",
            f"The name of {name} has {len(role.name)} characters. A script allows {NAME_CHARS}.",
            "Shorten it.",
        )
    if len(role.prompt) > PROMPT_CHARS:
        yield (
            "long_prompt",
            f"The prompt of {name} has {len(role.prompt):,} characters, with its rules. A script "
            f"allows {PROMPT_CHARS:,}.",
            "Shorten it.",
        )


@dataclass(frozen=True, slots=True)
class _Layers:
    """Agents who answer side by side; in each further layer the same agents read all of the layer
    before. One layer is an ensemble, more are a debate."""

    first: tuple[AgentId, ...]
    last: tuple[AgentId, ...]
    count: int


class _Team:
    """A design without errors, made of agents that a script has."""

    def __init__(self, design: DesignSpec) -> None:
        self._design = design
        self._reads = predecessors(graph_of(design))
        self._drawn = {each.id: each for each in design.agents}
        self._blocks = {
            each.id: agent(
                each.role.name,
                each.role.prompt,
                each.role.tools,
                each.temperature,
                line=1,
                place=number,
            )
            for number, each in enumerate(design.agents)
        }

    def block(self) -> Block:
        """Raises StaysDrawing, BlockError."""
        ids = list(self._drawn)
        vote = self._design.vote
        if len(vote) > 1:
            return self._voted(ids, vote)
        output = vote[0] if vote else self._design.answer_from
        return self._answered(ids, output or speaking_order(graph_of(self._design), last=None)[-1])

    def _answered(self, ids: Sequence[AgentId], output: AgentId) -> Block:
        """The team of these agents, who read none but each other. `output` answers."""
        steps = self._chain(ids)
        if steps is not None and steps[-1] == output:
            return self._sequence([self._blocks[each] for each in steps])
        layers = self._layers([each for each in ids if each != output])
        if layers is not None and self._reads[output] == layers.last:
            members, judge = self._of(layers.first), self._blocks[output]
            if layers.count == 1:
                return ensemble(members, "judge", judge=judge, line=1)
            return debate(members, judge, layers.count - 1, line=1)
        return graph({each: self._blocks[each] for each in ids}, self._edges(ids), output, line=1)

    def _voted(self, ids: Sequence[AgentId], vote: tuple[AgentId, ...]) -> Block:
        layers = self._layers(ids)
        if layers is not None and layers.count > 1 and layers.last == vote:
            return debate(self._of(layers.first), None, layers.count - 1, line=1)
        separate = self._separate(ids, vote)
        if separate is not None:
            return ensemble(
                [self._answered(part, voter) for part, voter in zip(separate, vote, strict=True)],
                line=1,
            )
        others = [each for each in ids if each not in vote]
        heard = self._reads[vote[0]]
        if any(self._reads[voter] != heard for voter in vote):
            raise StaysDrawing([_DIFFERENT])
        if any(source in vote for each in ids for source in self._reads[each]):
            raise StaysDrawing([_READ])
        voters = ensemble(self._of(vote), line=1)
        steps = self._chain(others)
        if steps is not None and heard == (steps[-1],):
            return self._sequence([*self._of(steps), voters])
        free = next(name for name in ("vote", "vote_", "vote__") if name not in others)
        nodes = {**{each: self._blocks[each] for each in others}, free: voters}
        edges = [*self._edges(others), *((source, free) for source in heard)]
        return graph(nodes, edges, free, line=1)

    def _of(self, ids: Iterable[AgentId]) -> list[Block]:
        return [self._blocks[each] for each in ids]

    def _edges(self, ids: Iterable[AgentId]) -> list[tuple[AgentId, AgentId]]:
        return [(source, each) for each in ids for source in self._reads[each]]

    @staticmethod
    def _sequence(blocks: Sequence[Block]) -> Block:
        return blocks[0] if len(blocks) == 1 else sequence(*blocks, line=1)

    def _chain(self, ids: Sequence[AgentId]) -> list[AgentId] | None:
        """These in the order in which each reads the one before alone; None: there is none."""
        steps = following = [each for each in ids if not self._reads[each]]
        while len(following) == 1:
            following = [each for each in ids if self._reads[each] == (steps[-1],)]
            steps = [*steps, *following]
        return steps if len(steps) == len(ids) and not following else None

    def _layers(self, ids: Sequence[AgentId]) -> _Layers | None:
        first = layer = tuple(each for each in ids if not self._reads[each])
        if len(first) < 2:
            return None
        left = [each for each in ids if each not in layer]
        count = 1
        while left:
            layer = tuple(each for each in left if self._reads[each] == layer)
            if [self._part(each) for each in layer] != [self._part(each) for each in first]:
                return None
            left = [each for each in left if each not in layer]
            count += 1
        return _Layers(first, layer, count)

    def _part(self, agent_id: AgentId) -> tuple[object, ...]:
        drawn = self._drawn[agent_id]
        role = drawn.role
        return role.name, role.prompt, role.tools, drawn.temperature

    def _separate(
        self, ids: Sequence[AgentId], vote: Sequence[AgentId]
    ) -> list[list[AgentId]] | None:
        """For each voter itself and all that it hears of, if no two share one and none is left
        over."""
        heard = {voter: self._heard(voter) for voter in vote}
        counted = [each for found in heard.values() for each in found]
        if len(counted) != len(set(counted)) or len(counted) != len(ids):
            return None
        return [[each for each in ids if each in heard[voter]] for voter in vote]

    def _heard(self, agent_id: AgentId) -> set[AgentId]:
        found, left = {agent_id}, [agent_id]
        while left:
            new = [each for each in self._reads[left.pop()] if each not in found]
            found.update(new)
            left += new
        return found


_DIFFERENT = _reason(
    "voters_differ",
    "The agents that vote read different agents, and share some of them. A script has no such "
    "vote.",
    "Let all of them read the same agents, or let one agent answer.",
)
_READ = _reason(
    "voter_is_read",
    "An agent that votes is read by another one. A script has no such vote.",
    "Remove that edge, or let one agent answer.",
)
