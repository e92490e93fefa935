"""Draws a team that a script describes, as far as a drawing says exactly the same.

A drawn agent speaks once and reads a fixed list of messages. So agents, sequences, graphs, judges
and debates can be drawn: each call becomes an agent. A majority can be drawn at the team's end,
where it is the design's vote. Everything else stays a script, because a reply decides who speaks or
reads what. `StaysScript` names every such place.

The drawing does the same as long as every agent leaves a message. If one fails, a drawing goes on
without it, while some blocks have rules of their own (`workers.core.scripts.blocks`).
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from workers.core.designs.problems import SCRIPT_TOOLS, Problem
from workers.core.designs.spec import MAX_AGENTS, MAX_EDGES, DesignAgent, DesignSpec, DraftRole
from workers.core.events.scripts import ScriptDrawing
from workers.core.scripts.blocks import Agent, Block, Debate, Ensemble, Graph, Steps
from workers.core.scripts.meaning import Meaning, meaning_of
from workers.core.specs import Edge

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_KEY_CHARS = 63
_PASSES = {"if": "an if", "for": "a for loop", "while": "a while loop"}


class StaysScript(ValueError):
    """`reasons`: at least one, in the order of their lines."""

    def __init__(self, reasons: Iterable[Problem]) -> None:
        found = dict.fromkeys(reasons)
        self.reasons = tuple(sorted(found, key=lambda each: each.line or 0))
        super().__init__(" ".join(each.placed for each in self.reasons))


def drawing_of(design: DesignSpec) -> ScriptDrawing | None:
    """What its script means; None for a drawing, and for a script with mistakes."""
    return meaning_of(design.script, SCRIPT_TOOLS).drawing if design.script else None


def design_of_script(script: str, tools: Collection[str] = SCRIPT_TOOLS) -> DesignSpec:
    """The drawing of a script. Raises ScriptError for its mistakes, and StaysScript."""
    meaning = meaning_of(script, tools).required()
    if meaning.team is None:
        raise StaysScript(_undrawn(meaning))
    return design_of_team(meaning.team)


def design_of_team(team: Block) -> DesignSpec:
    """Raises StaysScript."""
    drawing = _Drawing()
    left = drawing.play(team, (), at_end=True)
    if drawing.reasons:
        raise StaysScript(drawing.reasons)
    return drawing.design(left)


def _undrawn(meaning: Meaning) -> Iterable[Problem]:
    """Why a script is no team of blocks alone."""
    tests = [
        block
        for block in (meaning.drawing.blocks if meaning.drawing else ())
        if block.kind in _PASSES
    ]
    for block in tests:
        yield _reason(
            block.line,
            "reply_decides",
            f"What an agent says decides who speaks here: {_PASSES[block.kind]}.",
            "Keep the script, or let the same agents speak every time.",
        )
    if not tests:
        yield _reason(
            None,
            "not_blocks_alone",
            "The script computes with what agents say, or delivers something else than a message.",
            "Keep the script, or deliver a message as it is, without tests and texts of your own.",
        )


def _reason(line: int | None, code: str, message: str, remedy: str) -> Problem:
    return Problem(severity="error", code=code, message=message, remedy=remedy, line=line)


@dataclass(eq=False, slots=True)
class _Drawn:
    """A call of an agent. `place`: where it stands in the team. Messages are read in the order of
    `reads`. `name`: its node's in a graph."""

    agent: Agent
    place: tuple[int, ...]
    reads: "tuple[_Drawn, ...]"
    name: str = ""


Said = tuple[_Drawn, ...]
"""One message; several: the majority of these."""


class _TooLarge(Exception):
    """More agents or edges than a design may have."""


@dataclass(slots=True)
class _Drawing:
    agents: list[_Drawn] = field(default_factory=list)
    reasons: list[Problem] = field(default_factory=list)
    _edges: int = 0

    def play(self, block: Block, reads: Said, *, at_end: bool) -> Said:
        try:
            return self._block(block, reads, (), at_end=at_end)
        except _TooLarge:
            self._stays(
                block,
                "too_large",
                f"Drawn, the team has more than {MAX_AGENTS} agents or {MAX_EDGES:,} edges.",
                "Use fewer agents or rounds.",
            )
            return ()

    def _block(self, block: Block, reads: Said, place: tuple[int, ...], *, at_end: bool) -> Said:
        """What the block leaves. `reads`: the messages that it is given."""
        match block:
            case Agent():
                return (self._agent(block, reads, place),)
            case Steps(blocks=steps):
                for number, step in enumerate(steps, 1):
                    last = at_end and number == len(steps)
                    reads = self._block(step, reads, (*place, number), at_end=last)
                return reads
            case Graph():
                return self._graph(block, reads, place, at_end=at_end)
            case Debate(debaters=debaters, judge=judge, rounds=rounds):
                said = self._all(debaters, reads, (*place, 0))
                for number in range(1, rounds + 1):
                    said = self._all(debaters, _once(reads + said), (*place, number))
                return self._picked(block, judge, reads, said, place, at_end=at_end)
            case Ensemble(members=members, judge=judge):
                said = self._all(members, reads, (*place, 0))
                self._check_way(block)
                return self._picked(block, judge, reads, said, place, at_end=at_end)
        self._stays(block, block.kind, *_STAYS[block.kind])
        return reads

    def _all(self, blocks: Sequence[Block], reads: Said, place: tuple[int, ...]) -> Said:
        said = [
            self._block(each, reads, (*place, number), at_end=False)
            for number, each in enumerate(blocks)
        ]
        return tuple(message for messages in said for message in messages)

    def _picked(
        self,
        block: Block,
        judge: Block | None,
        reads: Said,
        said: Said,
        place: tuple[int, ...],
        *,
        at_end: bool,
    ) -> Said:
        if judge is not None:
            return self._block(judge, _once(reads + said), (*place, MAX_AGENTS), at_end=at_end)
        if len(said) > 1 and not at_end:
            self._stays(
                block,
                "majority_inside",
                f"The {block.kind} picks the message with the most frequent answer, and it is not "
                "the last block. A drawing counts answers at its end alone.",
                "Give it a judge, or move it to the end.",
            )
        return said

    def _graph(self, block: Graph, given: Said, place: tuple[int, ...], *, at_end: bool) -> Said:
        names = list(block.nodes)
        sources = {name: [a for a in names if (a, name) in set(block.edges)] for name in names}
        read = {source for source, _ in block.edges}
        said: dict[str, Said] = {}
        while len(said) < len(names):
            name = next(
                name for name in names if name not in said and said.keys() >= set(sources[name])
            )
            heard = tuple(message for source in sources[name] for message in said[source])
            last = at_end and name == block.output and name not in read
            said[name] = self._block(
                block.nodes[name],
                _once(heard) or given,
                (*place, names.index(name)),
                at_end=last,
            )
            if isinstance(block.nodes[name], Agent) and not place:
                said[name][0].name = name
        return said[block.output]

    def _agent(self, agent: Agent, reads: Said, place: tuple[int, ...]) -> _Drawn:
        if agent.turns is not None:
            self._stays(
                agent,
                "turns",
                f"“{agent.name}” has a limit of {agent.turns} turns. A drawn agent has none.",
                "Leave turns out.",
            )
        drawn = _Drawn(agent, place, reads)
        self.agents.append(drawn)
        self._edges += len(reads)
        if len(self.agents) > MAX_AGENTS or self._edges > MAX_EDGES:
            raise _TooLarge
        return drawn

    def _check_way(self, block: Ensemble) -> None:
        if block.by == "consensus" and block.rounds and len(block.members) > 1:
            self._stays(block, "consensus", *_STAYS["consensus"])
        if block.by == "weighted" and len(set(block.weights or ())) > 1:
            self._stays(block, "weighted", *_STAYS["weighted"])

    def _stays(self, block: Block, code: str, message: str, remedy: str) -> None:
        self.reasons.append(_reason(block.line, code, message, remedy))

    def design(self, left: Said) -> DesignSpec:
        """Raises StaysScript if no order of the agents lets each read as it does."""
        agents = _ordered(self.agents)
        ids = _ids(agents)
        read = {source for each in agents for source in each.reads}
        last = [each for each in agents if each not in read]
        answering = None if len(left) > 1 or last == list(left) else ids[left[0]]
        return DesignSpec(
            agents=tuple(_drawn(each, ids[each], number) for number, each in enumerate(agents)),
            edges=tuple(
                Edge(source=ids[source], target=ids[each])
                for each in agents
                for source in each.reads
            ),
            answer_from=answering,
            vote=tuple(ids[each] for each in left) if len(left) > 1 else (),
        )


_STAYS = {
    "reflection": (
        "The critic's verdict decides whether the worker answers again.",
        "Keep the script, or draw one round: sequence(worker, critic, worker).",
    ),
    "router": (
        "What the router's first agent says decides who answers.",
        "Keep the script, or let all routes answer and a judge choose.",
    ),
    "conditional": (
        "The test decides who answers.",
        "Keep the script, or let both answer and a judge choose.",
    ),
    "loop": (
        "The test decides how often the body answers.",
        "Keep the script, or write the passes as a sequence.",
    ),
    "consensus": (
        "Whether the members agree decides whether they answer again.",
        'Keep the script, or write debate(members), or by="majority".',
    ),
    "weighted": (
        "The members' answers have different weights. In a drawing each vote counts the same.",
        'Keep the script, or write by="majority".',
    ),
}


def _once(said: Said) -> Said:
    return tuple(dict.fromkeys(said))


def _ordered(agents: Sequence[_Drawn]) -> list[_Drawn]:
    """The agents in an order in which each reads its messages as it does, else as they stand in the
    team. Raises StaysScript."""
    left = sorted(agents, key=lambda each: each.place)
    before: dict[_Drawn, set[_Drawn]] = {each: set() for each in left}
    for each in left:
        for earlier, later in zip(each.reads, each.reads[1:], strict=False):
            before[later].add(earlier)
    found: list[_Drawn] = []
    placed: set[_Drawn] = set()
    while left:
        free = next((each for each in left if before[each] <= placed), None)
        if free is None:
            raise StaysScript([_unordered(left[0].agent)])
        left.remove(free)
        found.append(free)
        placed.add(free)
    return found


def _unordered(agent: Agent) -> Problem:
    return _reason(
        agent.line,
        "reading_order",
        "Two agents read the same messages in different orders. In a drawing all agents read in "
        "one order.",
        "Let them read in the same order.",
    )


def _ids(agents: Sequence[_Drawn]) -> dict[_Drawn, str]:
    """The name of its node if an agent may have it as its id, else `a1`, `a2`, …"""
    named = {each.name for each in agents if _ID.fullmatch(each.name)}
    free = (f"a{number}" for number in range(1, 2 * MAX_AGENTS + 1))
    unused = (each for each in free if each not in named)
    return {each: each.name if each.name in named else next(unused) for each in agents}


def _drawn(drawn: _Drawn, agent_id: str, number: int) -> DesignAgent:
    agent = drawn.agent
    key = _NOT_SLUG.sub("-", agent.name.lower()).strip("-")[:_KEY_CHARS] or "agent"
    return DesignAgent(
        id=agent_id,
        role=DraftRole(key=key, name=agent.name, prompt=agent.prompt, tools=agent.tools),
        temperature=agent.temperature,
        sample=number if agent.temperature else None,
    )
