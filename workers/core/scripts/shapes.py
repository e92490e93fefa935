"""The shape of a team: a short text that leaves out prompts and names, equal for equal teams.

Members whose order means little are sorted, and equal ones counted: `ensemble:majority(agent×3)`.
Default rounds are left out, and so are weights, temperatures and turns.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

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
from workers.core.scripts.values import Said

_ROUNDS = 2
_PASSES = 3


def shape_of(block: Block) -> str:
    return _Shapes(frozenset()).of(block)


class _Shapes:
    """`unknown`: blocks of which not all is known; they are marked with `?`."""

    def __init__(self, unknown: frozenset[Block]) -> None:
        self._unknown = unknown
        self._kept: dict[Block, str] = {}

    def of(self, block: Block) -> str:
        if block not in self._kept:
            self._kept[block] = self._shape(block) + "?" * (block in self._unknown)
        return self._kept[block]

    def _shape(self, block: Block) -> str:
        shown = block.kind
        match block:
            case Agent(tools=tools):
                shown += f"[{','.join(sorted(tools))}]" * bool(tools)
            case Ensemble(members=members, by=by, judge=judge):
                rounds = _rounds(block.rounds) if by == "consensus" else ""
                shown += f":{by}({self._members(members, judge)}{rounds})"
            case Debate(debaters=debaters, judge=judge):
                shown += f"({self._members(debaters, judge)}{_rounds(block.rounds)})"
            case Reflection(worker=worker, critic=critic):
                shown += f"({self._parts([worker, critic])}{_rounds(block.rounds)})"
            case Router(by=by, routes=routes, otherwise=otherwise):
                ways = _counted(map(self.of, routes.values()))
                shown += f"({self.of(by)};{ways}{self._last(otherwise)})"
            case Steps(blocks=parts):
                shown += f"({self._parts(parts)})"
            case Conditional(test=test, then=then, otherwise=otherwise):
                shown += f"({self._test(test)};{self.of(then)}{self._last(otherwise)})"
            case Loop(body=body, until=until, most=most):
                passes = "" if most == _PASSES else f";most={most}"
                shown += f"({self.of(body)};{self._test(until)}{passes})"
            case Graph(nodes=nodes, edges=edges, output=output):
                shapes = {name: self.of(node) for name, node in nodes.items()}
                shown = self.graph(shapes, edges, [output])
        return shown

    def _parts(self, parts: Sequence[Block]) -> str:
        return ",".join(map(self.of, parts))

    def _members(self, members: Sequence[Block], judge: Block | None) -> str:
        return _counted(map(self.of, members)) + self._last(judge)

    def _last(self, block: Block | None) -> str:
        return "" if block is None else f";{self.of(block)}"

    def _test(self, test: object) -> str:
        return self.of(test) if isinstance(test, Block) else "test"

    @staticmethod
    def graph(
        nodes: Mapping[str, str], edges: Sequence[tuple[str, str]], outputs: Sequence[str]
    ) -> str:
        """Nodes in an order that depends on the graph alone, then who is read by whom, then the
        output where it is not the one last node: `graph(agent×2,agent;1>3,2>3)`."""
        order = _canonical(nodes, edges, outputs)
        place = {name: number for number, name in enumerate(order, 1)}
        pairs = sorted((place[source], place[target]) for source, target in edges)
        shown = [_counted([nodes[name] for name in order], keep_order=True)]
        shown += [",".join(f"{source}>{target}" for source, target in pairs)] * bool(pairs)
        last = [name for name in order if all(source != name for source, _ in edges)]
        if list(outputs) != last:
            shown.append(
                "out " + ",".join(str(number) for number in sorted(place[n] for n in outputs))
            )
        return f"graph({';'.join(shown)})"


def _rounds(rounds: int) -> str:
    return "" if rounds == _ROUNDS else f";rounds={rounds}"


def _counted(shapes: "Sequence[str] | map[str]", *, keep_order: bool = False) -> str:
    found = list(shapes) if keep_order else sorted(shapes)
    groups: list[tuple[str, int]] = []
    for shape in found:
        if groups and groups[-1][0] == shape:
            groups[-1] = (shape, groups[-1][1] + 1)
        else:
            groups.append((shape, 1))
    return ",".join(shape if count == 1 else f"{shape}×{count}" for shape, count in groups)


def _canonical(
    nodes: Mapping[str, str], edges: Sequence[tuple[str, str]], outputs: Sequence[str]
) -> list[str]:
    """The names in an order that does not depend on the names: by depth, then by colours that are
    refined by neighbours until they are stable (Weisfeiler and Leman); where several are left that
    look alike, one is picked, and they are refined again."""
    depth = _depths(nodes, edges)
    colours = _ranked({n: (depth[n], nodes[n], n in outputs) for n in nodes})
    while True:
        colours = _refined(colours, edges)
        counts = Counter(colours.values())
        alike = [name for name in nodes if counts[colours[name]] > 1]
        if not alike:
            return sorted(nodes, key=lambda name: colours[name])
        lowest = min(colours[name] for name in alike)
        picked = next(name for name in alike if colours[name] == lowest)
        colours = _ranked({n: (colour, n != picked) for n, colour in colours.items()})


def _refined(colours: Mapping[str, int], edges: Sequence[tuple[str, str]]) -> dict[str, int]:
    found = dict(colours)
    while True:
        before: dict[str, list[int]] = {name: [] for name in found}
        after: dict[str, list[int]] = {name: [] for name in found}
        for source, target in edges:
            before[target].append(found[source])
            after[source].append(found[target])
        finer = _ranked(
            {n: (c, tuple(sorted(before[n])), tuple(sorted(after[n]))) for n, c in found.items()}
        )
        if len(set(finer.values())) == len(set(found.values())):
            return finer
        found = finer


def _ranked(keys: Mapping[str, tuple[object, ...]]) -> dict[str, int]:
    ranks = {key: rank for rank, key in enumerate(sorted(set(keys.values())))}
    return {name: ranks[key] for name, key in keys.items()}


def _depths(nodes: Mapping[str, str], edges: Sequence[tuple[str, str]]) -> dict[str, int]:
    depth = dict.fromkeys(nodes, 0)
    for _ in nodes:
        before = dict(depth)
        for source, target in edges:
            depth[target] = max(depth[target], min(depth[source] + 1, len(nodes)))
        if depth == before:
            break
    return depth


def shape_of_trace(items: Sequence[Item], made: Makes) -> str:
    """The shape of a script that is no team: what it asks, in order. What waits for a reply is
    marked with `?`: `script(agent,if?(agent),while?(agent×2))`. In a loop each block stands once;
    those that its passes make again as well."""
    shapes = _Shapes(frozenset(made.incomplete))
    flat = [item for item in items if isinstance(item, Ask)]
    if all(isinstance(item, Ask | Deliver) for item in items):
        return _of_calls(shapes, flat, items, made)
    return f"script({_counted(_Steps(shapes, made.twins).of(items), keep_order=True)})"


def _of_calls(shapes: _Shapes, asks: Sequence[Ask], items: Sequence[Item], made: Makes) -> str:
    if not asks:
        return "text"
    nodes = {str(ask.number): shapes.of(ask.block) for ask in asks}
    edges = dict.fromkeys(
        (str(call), str(ask.number))
        for ask in asks
        for calls in [*(read.calls for read in ask.reads), made.open.get(ask.block, ())]
        for call in sorted(calls)
        if str(call) in nodes
    )
    said = [item.said for item in items if isinstance(item, Deliver)]
    outputs = [str(call) for each in said for call in sorted(each.calls) if str(call) in nodes]
    if len(nodes) == 1 and outputs and isinstance(said[0], Said):
        return next(iter(nodes.values()))
    return shapes.graph(nodes, list(edges), outputs)


@dataclass(slots=True)
class _Steps:
    shapes: _Shapes
    twins: Mapping[Block, Mapping[int, int]]
    _repeat: int | None = None
    _seen: set[object] = field(default_factory=set)

    def of(self, items: Sequence[Item]) -> list[str]:
        found: list[str] = []
        for item in items:
            match item:
                case Ask(block=block):
                    found += [self.shapes.of(block)] * self._is_new(block)
                case Branch(then=then, otherwise=otherwise):
                    ways = [_counted(self.of(way), keep_order=True) for way in (then, otherwise)]
                    found += [f"if?({';'.join(ways).rstrip(';')})"] * any(ways)
                case Repeat(items=inner):
                    found += self._repeated(item, inner)
        return found

    def _repeated(self, item: Repeat, inner: Sequence[Item]) -> list[str]:
        outer, self._repeat = self._repeat, self._repeat or item.line
        steps = self.of(inner)
        self._repeat = outer
        if outer is None:
            self._seen = set()
        return [f"{item.kind}?({_counted(steps, keep_order=True)})"] * bool(steps)

    def _is_new(self, block: Block) -> bool:
        if self._repeat is None:
            return True
        which = self.twins.get(block, {}).get(self._repeat)
        key = block if which is None else (block.line, which)
        known = key in self._seen
        self._seen.add(key)
        return not known
