"""Draws what a script may do: its blocks, who reads whom, and what holds what.

- A block is drawn once in what holds it, however often it is asked there.
- An edge leads from who is read to who reads. Debaters, and members of a consensus, read each other
  as well: their block says so, without an edge for each pair.
- Where a test picks, edges labelled “yes” and “no” lead from the test's block; where the test is
  Python, from the container itself.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from workers.core.events.scripts import BlockKind, DrawnBlock, DrawnEdge, ScriptDrawing
from workers.core.scripts.blocks import (
    Agent,
    Block,
    Conditional,
    Debate,
    Ensemble,
    Graph,
    Loop,
    Reflection,
    Router,
    Steps,
)
from workers.core.scripts.making import Makes
from workers.core.scripts.trace import Ask, Branch, Deliver, Item, Repeat
from workers.core.scripts.values import Said, Unknown

_KINDS: dict[str, BlockKind] = {
    "agent": "agent",
    "ensemble": "ensemble",
    "reflection": "reflection",
    "debate": "debate",
    "router": "router",
    "sequence": "sequence",
    "conditional": "conditional",
    "loop": "loop",
    "graph": "graph",
}
_NAMES: dict[BlockKind, str] = {
    "ensemble": "Ensemble",
    "reflection": "Reflection",
    "debate": "Debate",
    "router": "Router",
    "sequence": "Sequence",
    "conditional": "Conditional",
    "loop": "Loop",
    "graph": "Graph",
    "if": "if",
    "for": "for",
    "while": "while",
}
_TOOL = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")


@dataclass(slots=True)
class Drawer:
    """Draws one trace. After `draw`, `places` leads from an agent (its line and its place there) to
    its blocks, and `asked_at` from a block to the lines where the script asks it."""

    made: Makes
    blocks: list[DrawnBlock] = field(default_factory=list)
    edges: dict[tuple[str, str, str], None] = field(default_factory=dict)
    places: dict[tuple[int, int], list[str]] = field(default_factory=dict)
    asked_at: dict[str, set[int]] = field(default_factory=dict)
    _ids: dict[tuple[str | None, object], str] = field(default_factory=dict)
    _asked: dict[int, str] = field(default_factory=dict)
    _delivers: dict[str, None] = field(default_factory=dict)
    _complete: bool = True
    _repeat: int | None = None

    def draw(self, items: Sequence[Item]) -> ScriptDrawing:
        self._items(items, None)
        return ScriptDrawing(
            blocks=tuple(self.blocks),
            edges=tuple(
                DrawnEdge(source=source, target=target, label=label)
                for source, target, label in self.edges
            ),
            delivers=tuple(self._delivers),
            complete=self._complete,
        )

    def _items(self, items: Sequence[Item], inside: str | None) -> None:
        for item in items:
            match item:
                case Ask():
                    drawn = self._block(item.block, inside)
                    self._asked[item.number] = drawn
                    self.asked_at.setdefault(drawn, set()).add(item.line)
                    for read in item.reads:
                        self._reads(read, drawn)
                case Deliver(said=said):
                    for call in sorted(said.calls):
                        if call in self._asked:
                            self._delivers[self._asked[call]] = None
                case Branch():
                    self._branch(item, inside)
                case Repeat():
                    self._complete = False
                    detail = "" if item.most is None else _times(item.most)
                    outer = self._repeat
                    self._repeat = outer or item.line
                    self._items(item.items, self._container(item.kind, item.line, inside, detail))
                    self._repeat = outer

    def _branch(self, item: Branch, inside: str | None) -> None:
        self._complete = False
        ways = (("yes", item.then), ("no", item.otherwise))
        if not any(True for _, way in ways for _ask in _all_asked(way)):
            self._items([*item.then, *item.otherwise], inside)
            return
        drawn = self._container("if", item.line, inside, "")
        for call in sorted(item.waits):
            self._edge(self._asked.get(call), drawn)
        for label, way in ways:
            self._items(way, drawn)
            first = next((each for each in way if isinstance(each, Ask)), None)
            if first is not None:
                self._edge(drawn, self._asked[first.number], label)

    def _reads(self, read: Said | Unknown, reader: str) -> None:
        for call in sorted(read.calls):
            self._edge(self._asked.get(call), reader)

    def _edge(self, source: str | None, target: str, label: str = "") -> None:
        if source is not None and source != target:
            self.edges[(source, target, label)] = None

    def _new(self, key: tuple[str | None, object]) -> str:
        self._ids[key] = f"b{len(self._ids) + 1}"
        return self._ids[key]

    def _container(self, kind: BlockKind, line: int, inside: str | None, detail: str) -> str:
        key = (inside, (kind, line))
        if key in self._ids:
            return self._ids[key]
        made = self._new(key)
        self.blocks.append(
            DrawnBlock(
                id=made, kind=kind, name=_NAMES[kind], line=line, inside=inside, detail=detail
            )
        )
        return made

    def _block(self, block: Block, inside: str | None) -> str:
        key = (inside, self._once(block))
        if key in self._ids:
            self._placed(block, self._ids[key])
            return self._ids[key]
        made = self._new(key)
        self._placed(block, made)
        if block in self.made.incomplete:
            self._complete = False
        if isinstance(block, Agent):
            self.blocks.append(
                DrawnBlock(
                    id=made,
                    kind="agent",
                    name=block.name,
                    line=block.line,
                    inside=inside,
                    detail=_agent_detail(block),
                    prompt=block.prompt,
                    tools=tuple(tool for tool in block.tools if _is_slug(tool)),
                )
            )
        else:
            kind = _KINDS[block.kind]
            self.blocks.append(
                DrawnBlock(
                    id=made,
                    kind=kind,
                    name=_NAMES[kind],
                    line=block.line,
                    inside=inside,
                    detail=_detail(block),
                )
            )
            self._inner(block, made)
        for call in sorted(self.made.open.get(block, ())):
            self._edge(self._asked.get(call), made)
        return made

    def _once(self, block: Block) -> object:
        """What is the same for agents that the passes of a loop make again and again."""
        which = self.made.twins.get(block, {}).get(self._repeat or 0)
        return block if which is None else (block.line, which)

    def _placed(self, block: Block, drawn: str) -> None:
        if isinstance(block, Agent):
            ids = self.places.setdefault((block.line, block.place), [])
            if drawn not in ids:
                ids.append(drawn)

    def _inner(self, block: Block, made: str) -> None:
        def drawn(part: Block) -> str:
            return self._block(part, made)

        match block:
            case Ensemble(members=parts, judge=judge) | Debate(debaters=parts, judge=judge):
                members = [drawn(part) for part in parts]
                if judge is not None:
                    for member in members:
                        self._edge(member, drawn(judge))
            case Reflection(worker=worker, critic=critic):
                self._edge(drawn(worker), drawn(critic))
                self._edge(drawn(critic), drawn(worker), "incorrect")
            case Steps(blocks=parts):
                steps = [drawn(part) for part in parts]
                for before, after in pairwise(steps):
                    self._edge(before, after)
            case Graph(nodes=nodes, edges=edges):
                ids = {name: drawn(node) for name, node in nodes.items()}
                for source, target in edges:
                    self._edge(ids[source], ids[target])
            case _:
                self._choosing(block, made)

    def _choosing(self, block: Block, made: str) -> None:
        def drawn(part: Block) -> str:
            return self._block(part, made)

        match block:
            case Router(by=by, routes=routes, otherwise=otherwise):
                chooser = drawn(by)
                for label, route in routes.items():
                    self._edge(chooser, drawn(route), label)
                if otherwise is not None:
                    self._edge(chooser, drawn(otherwise), "otherwise")
            case Conditional(test=test, then=then, otherwise=otherwise):
                chooser = drawn(test) if isinstance(test, Block) else made
                self._tested(block, made, None)
                self._edge(chooser, drawn(then), "yes")
                if otherwise is not None:
                    self._edge(chooser, drawn(otherwise), "no")
            case Loop(body=body, until=until):
                repeated = drawn(body)
                if isinstance(until, Block):
                    self._edge(repeated, drawn(until))
                    self._edge(drawn(until), repeated, "no")
                self._tested(block, made, repeated)

    def _tested(self, block: Block, made: str, message: str | None) -> None:
        """What the block's test asks. `message`: the block whose message is tested."""
        items = self.made.tests.get(block, [])
        self._items(items, made)
        for ask in _all_asked(items):
            self._complete = False
            if any(isinstance(read, Said) and not read.calls for read in ask.reads):
                self._edge(message, self._asked[ask.number])


def _all_asked(items: Sequence[Item]) -> Iterator[Ask]:
    for item in items:
        match item:
            case Ask():
                yield item
            case Branch(then=then, otherwise=otherwise):
                yield from _all_asked([*then, *otherwise])
            case Repeat(items=inner):
                yield from _all_asked(inner)


def _times(most: int) -> str:
    return "at most once" if most == 1 else f"at most {most} times"


def _rounds(rounds: int) -> str:
    return "1 round" if rounds == 1 else f"{rounds} rounds"


def _agent_detail(block: Agent) -> str:
    parts = [f"temperature {block.temperature:g}"] * bool(block.temperature)
    parts += [f"at most {block.turns} turns"] * (block.turns is not None)
    return ", ".join(parts)


def _detail(block: Block) -> str:
    detail = ""
    match block:
        case Ensemble(by="consensus", rounds=rounds):
            detail = f"consensus, at most {_rounds(rounds)}"
        case Ensemble(by="weighted", weights=tuple() as weights):
            detail = f"weighted {', '.join(f'{weight:g}' for weight in weights)}"
        case Ensemble(by=by):
            detail = by
        case Debate(rounds=rounds):
            detail = _rounds(rounds)
        case Reflection(rounds=rounds):
            detail = f"at most {_rounds(rounds)}"
        case Loop(most=most):
            detail = _times(most)
    return detail


def _is_slug(tool: str) -> bool:
    return 0 < len(tool) <= 63 and set(tool) <= _TOOL and tool[0] not in "_-"
