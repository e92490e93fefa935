"""What a script means, before it runs: its team where that is data, its drawing and its shape.

- `team`: a block, if the script asks its blocks in an order that no reply changes, passes messages
  on as they are, and every test is a block. Nor does it compute with a reply what may fail, such as
  `int(m.text)`, even if nothing comes of it. `a = solver(); deliver(critic(a))` is a graph. Such a
  team says what the script says, except that calls which need not wait for each other don't, and
  that `deliver(m.text)` counts as `deliver(m)`. Any other script has to run.
- `drawing`: everything that the script may ask. `complete` is False where a reply decides what is
  asked, or a team's parts.
- `shape`: what scripts with the same team have in common (`shapes.py`).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from workers.core.events.scripts import DrawnBlock, ScriptDrawing, ScriptProblem
from workers.core.scripts.blocks import Agent, Block, BlockError, graph
from workers.core.scripts.checking import checked
from workers.core.scripts.drawing import Drawer
from workers.core.scripts.interpreter import Interpreter
from workers.core.scripts.problems import ScriptError
from workers.core.scripts.shapes import shape_of, shape_of_trace
from workers.core.scripts.state import MOST_READ
from workers.core.scripts.trace import Ask, Deliver, Item
from workers.core.scripts.values import Said, Unknown

_NAME_CHARS = 70
_TANGLED = ScriptProblem(
    code="too_large",
    message=f"More than {MOST_READ:,} times a block reads another one, or waits for it.",
    remedy="Ask less often, or pass on fewer messages.",
)


@dataclass(frozen=True, slots=True)
class Meaning:
    """With problems there is neither team nor drawing, and the shape is empty."""

    script: str
    team: Block | None = None
    drawing: ScriptDrawing | None = None
    shape: str = ""
    problems: tuple[ScriptProblem, ...] = ()
    tools: Collection[str] | None = None
    """Those that its agents may have, also such as are known only when it runs; None: any."""
    _places: Mapping[tuple[int, int], Sequence[str]] = field(default_factory=dict)
    _asked_at: Mapping[str, Collection[int]] = field(default_factory=dict)

    def required(self) -> "Meaning":
        """The same. Raises ScriptError if there is a problem."""
        if self.problems:
            raise ScriptError(self.problems)
        return self

    def block_id(self, agent: Agent, lines: Sequence[int] = ()) -> str:
        """The agent's block in the drawing; "" if it isn't there. `lines`: those of its `Call`, by
        which an agent that stands in several blocks is found."""
        if self.drawing is None:
            return ""
        placed = self._places.get((agent.line, agent.place), ())
        made = _made_on(self.drawing, agent.line)
        named = [block.id for block in made if block.name == agent.name]
        # A line that makes one agent or another has made both before it runs: the name tells which.
        own = [each for each in placed if each in named] or named or placed
        ids = own or [block.id for block in made]
        return _deepest(self.drawing, ids, lines, self._asked_at) if ids else ""


def block_id(drawing: ScriptDrawing, line: int, name: str, lines: Sequence[int] = ()) -> str:
    """The block of the agent with this name that the script makes on this line, else of any agent
    made there; "" if there is none."""
    made = _made_on(drawing, line)
    named = [block.id for block in made if block.name == name] or [block.id for block in made]
    return _deepest(drawing, named, lines, {}) if named else ""


def _made_on(drawing: ScriptDrawing, line: int) -> list[DrawnBlock]:
    return [block for block in drawing.blocks if block.kind == "agent" and block.line == line]


def _deepest(
    drawing: ScriptDrawing,
    ids: Sequence[str],
    lines: Sequence[int],
    asked_at: Mapping[str, Collection[int]],
) -> str:
    """The one of these that is asked on the first of those lines, or in a block that is; of several
    the one whose blocks around it are most of the others."""
    if len(ids) == 1:
        return ids[0]
    blocks = {block.id: block for block in drawing.blocks}

    def shared(each: str) -> int:
        count, inside = 0, each
        while inside:
            asked = inside in asked_at and lines[:1] and lines[0] in asked_at[inside]
            count += len(blocks) if asked else 0
            count += 1 if blocks[inside].line in lines else -1
            inside = blocks[inside].inside or ""
        return count

    return max(ids, key=shared)


def meaning_of(script: str, tools: Collection[str] | None = None) -> Meaning:
    """`tools`: the ids of the tools that an agent may be given; None: any. Never raises: what is
    wrong with the script is in `problems`. Nothing of the script is executed."""
    try:
        tree = checked(script)
    except ScriptError as error:
        return Meaning(script, problems=error.problems)
    player = Interpreter(tree, tools)
    player.play()
    if player.problems:
        return Meaning(script, problems=ScriptError(player.problems).problems)
    items, made = player.items, player.makes
    drawer = Drawer(made)
    drawing = drawer.draw(items)
    if len(drawing.edges) > MOST_READ:
        return Meaning(script, problems=(_TANGLED,))
    team = _team(items, made.open) if player.safe else None
    shape = shape_of_trace(items, made) if team is None else shape_of(team)
    return Meaning(script, team, drawing, shape, (), tools, drawer.places, drawer.asked_at)


def _team(items: Sequence[Item], unknown: Collection[Block]) -> Block | None:
    """The block that does what these calls do; None: no block does."""
    asks = [item for item in items if isinstance(item, Ask)]
    last = items[-1] if items else None
    if not asks or len(asks) != len(items) - 1 or not isinstance(last, Deliver):
        return None
    if any(not ask.block.is_data or _has_any(ask.block, unknown) for ask in asks):
        return None
    output = _single(last.said)
    if output is None:
        return None
    if len(asks) == 1:
        return asks[0].block if not asks[0].reads else None
    return _graph(asks, output, last.line)


def _graph(asks: Sequence[Ask], output: int, line: int) -> Block | None:
    reads: dict[int, list[int]] = {}
    for ask in asks:
        sources = [_single(read, text=False) for read in ask.reads]
        if None in sources:
            return None
        reads[ask.number] = list(dict.fromkeys(each for each in sources if each is not None))
    order = _order([ask.number for ask in asks], reads)
    if order is None:
        return None
    names = _names({ask.number: ask.block for ask in asks})
    blocks = {ask.number: ask.block for ask in asks}
    edges = [(names[source], names[number]) for number in order for source in reads[number]]
    nodes = {names[number]: blocks[number] for number in order}
    try:
        return graph(nodes, edges, names[output], line=line)
    except BlockError:
        return None


def _single(said: Said | Unknown, *, text: bool = True) -> int | None:
    """The one call whose message it is. `text`: the message's text counts as well."""
    if isinstance(said, Unknown) and text and said.said is not None:
        said = said.said
    return said.calls[0] if isinstance(said, Said) and len(said.calls) == 1 else None


def _order(numbers: Sequence[int], reads: Mapping[int, Sequence[int]]) -> Sequence[int] | None:
    """An order in which every call's sources stand as it reads them. The calls' own, mostly."""
    if all(list(sources) == sorted(sources) for sources in reads.values()):
        return numbers
    sorter: TopologicalSorter[int] = TopologicalSorter(dict.fromkeys(numbers, ()))
    for sources in reads.values():
        for before, after in pairwise(sources):
            sorter.add(after, before)
    try:
        return list(sorter.static_order())
    except CycleError:
        return None


def _names(blocks: Mapping[int, Block]) -> dict[int, str]:
    """A name for each call: the agent's or the block's kind, and a number where it is taken."""
    names: dict[int, str] = {}
    taken: set[str] = set()
    for number, block in blocks.items():
        base = (block.name if isinstance(block, Agent) else block.kind)[:_NAME_CHARS]
        name, count = base, 1
        while name in taken:
            count += 1
            name = f"{base} {count}"
        taken.add(name)
        names[number] = name
    return names


def _has_any(block: Block, blocks: Collection[Block]) -> bool:
    return block in blocks or any(_has_any(part, blocks) for part in block.parts)
