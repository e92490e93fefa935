"""Makes the blocks of a script, by the constructors of `blocks.py`, with what is known of them."""

import inspect
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import prod

from workers.core.scripts import blocks
from workers.core.scripts.blocks import MOST_AGENTS, Block, BlockError
from workers.core.scripts.operations import Fault
from workers.core.scripts.problems import quoted
from workers.core.scripts.trace import Item
from workers.core.scripts.values import NOTHING, Contents, Function, Named, Unknown, Value

AFTER_FAULT = "after_fault"
"""What can't be made because of a fault that is told already."""
UNREACHED = "unreached"
"""What is made of nothing: no path comes here."""
_SEVERAL = frozenset({"members", "debaters", "blocks"})
_NEEDED = frozenset({"routes", "nodes", "worker", "critic", "body", "then", "test", "until"})
"""Arguments that hold blocks: without them there is nothing to draw."""
TOO_MANY = "too_many_agents"
_WORDS = {"name": "Agent", "prompt": "…"}


class Written:
    """Stands in a block for a function of the script. It is never called here."""

    def __init__(self, line: int) -> None:
        self.line = line

    def __call__(self, message: object) -> bool:
        raise NotImplementedError("a function of a script runs in the sandbox alone")


class Makes:
    """What the script has made: how many agents, on which lines, and which blocks are not known in
    full. `open`: the blocks that wait for the question or a reply, with the calls. `incomplete`:
    those of which more than a text is not known, or a text that waits for a reply."""

    def __init__(self, tools: Collection[str] | None) -> None:
        self.tools = tools
        self.agents = 0
        self.open: dict[Block, frozenset[int]] = {}
        self.incomplete: set[Block] = set()
        self.tests: dict[Block, list[Item]] = {}
        """What a block's test asks, where that is a function of the script."""
        self.passes: dict[int, int] = {}
        """By the lines of the loops around: how many agents this pass has made."""
        self.twins: dict[Block, dict[int, int]] = {}
        """For an agent that was made in loops: which of its pass it was, by their lines."""
        self._places: Counter[int] = Counter()

    def place(self, line: int) -> int:
        self._places[line] += 1
        return self._places[line] - 1


@dataclass(frozen=True, slots=True)
class Making:
    """A call that makes a block, as the script writes it."""

    name: str
    arguments: list[Value]
    keywords: dict[str, Value]
    line: int


def made_block(makes: Makes, making: Making, blurred: Mapping[int, Value]) -> Block:
    """The block that this call makes. Raises Fault."""
    name, line = making.name, making.line
    bound = _bound(name, making.arguments, making.keywords)
    contents = {key: Contents() for key in bound.arguments}
    for key, value in bound.arguments.items():
        contents[key].add(value, blurred)
    if id(making.arguments) in blurred and "blocks" in contents:
        contents["blocks"].vague = True
    if any(each.broken for each in contents.values()):
        raise Fault(AFTER_FAULT, "", "")
    if any(value is NOTHING for value in (*making.arguments, *making.keywords.values())):
        raise Fault(UNREACHED, "", "")
    given = {key: _given(key, value, line) for key, value in bound.arguments.items()}
    stars = given.pop("blocks", ())
    if name == "sequence" and not isinstance(stars, tuple):
        stars = ()
    named = {key: value for key, value in given.items() if not isinstance(value, Unknown)}
    named["line"] = line
    if name == "agent":
        makes.agents += 1
        if makes.agents > MOST_AGENTS:
            raise _too_many(f"The script makes more than {MOST_AGENTS} agents.")
        _known_tools(makes, given.get("tools", ()))
        named["place"] = makes.place(line)
    elif _agents(given.values()) + _agents([stars]) > MOST_AGENTS:
        raise _too_many(f"The {name} has more than {MOST_AGENTS} agents.")
    try:
        made = _maker(name)(*stars, **named)  # type: ignore[misc]  # the constructor checks them
    except BlockError as error:
        told = str(error).replace(", not Unknown.", ", and known only when the script runs.")
        message, _, remedy = told.replace("not Said.", "not a message.").partition(". ")
        raise Fault(
            "bad_block", message.rstrip(".") + ".", remedy or f"It is written: {_shown(name)}"
        ) from None
    if name == "agent" and makes.passes:
        makes.twins[made] = dict(makes.passes)
        makes.passes = {line: count + 1 for line, count in makes.passes.items()}
    if vague := {key: each.calls for key, each in contents.items() if each.vague}:
        makes.open[made] = frozenset[int]().union(*vague.values())
        if makes.open[made] or not vague.keys() <= _WORDS.keys():
            makes.incomplete.add(made)
    return made


def each_block(value: Value) -> list[Value]:
    """An argument that is one of several blocks, or a dict that holds such, once for each way."""
    if isinstance(value, Unknown) and len(value.blocks) > 1:
        return [*value.blocks]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        ways = [
            each_block(each) if isinstance(each, Unknown) else [each] for each in value.values()
        ]
        if 1 < prod(map(len, ways)) <= MOST_AGENTS:
            return [dict(zip(value, way, strict=True)) for way in product(*ways)]
    return [value]


def _too_many(message: str) -> Fault:
    return Fault(TOO_MANY, message, f"Use at most {MOST_AGENTS} agents.")


def _agents(values: Collection[Value]) -> int:
    found = 0
    for value in values:
        inside = value.values() if isinstance(value, dict) else value
        parts = (
            inside if isinstance(inside, Collection) and not isinstance(inside, str) else [value]
        )
        found += sum(blocks.size(part)[0] for part in parts if isinstance(part, Block))
    return found


@cache
def _maker(name: str) -> Callable[..., Block]:
    found: Callable[..., Block] = getattr(blocks, name)
    return found


@cache
def _signature(name: str) -> inspect.Signature:
    whole = inspect.signature(_maker(name))
    shown = [each for each in whole.parameters.values() if each.kind is not each.KEYWORD_ONLY]
    return inspect.Signature(shown)


def _shown(name: str) -> str:
    parameters = []
    for each in _signature(name).parameters.values():
        star = "*" if each.kind is each.VAR_POSITIONAL else ""
        default = "" if each.default is each.empty else f"={each.default!r}"
        parameters.append(f"{star}{each.name}{default}")
    return f"{name}({', '.join(parameters)})"


def _bound(name: str, arguments: list[Value], keywords: dict[str, Value]) -> inspect.BoundArguments:
    strange = [key for key in keywords if key not in _signature(name).parameters]
    if strange:
        written = f"It is written: {_shown(name)}"
        raise Fault("bad_argument", f"{name} has no argument {quoted(strange[0])}.", written)
    try:
        return _signature(name).bind(*arguments, **keywords)
    except TypeError as error:
        said = str(error).replace("'", "“", 1).replace("'", "”", 1)
        raise Fault("bad_argument", f"{name}: {said}.", f"It is written: {_shown(name)}") from None


def _given(key: str, value: Value, line: int) -> Value:
    """An argument as the constructor takes it. What is not known is stood in for."""
    given = value
    match value:
        case Function() | Named():
            given = Written(line)
        case Unknown(blocks=(block, *_)) if key not in _SEVERAL:
            given = block
        case Unknown() if key in _WORDS:
            given = value.shown.strip() or _WORDS[key]
        case Unknown() if key in _SEVERAL:
            given = _members([value])
        case Unknown() if key in _NEEDED:
            raise Fault(
                "not_known",
                f"{quoted(key)} is known only when the script runs.",
                "Write it as a constant.",
            )
        case list() if key in _SEVERAL:
            given = _members(value)
        case tuple() if key in _SEVERAL:
            given = tuple(_members(value))
        case dict():
            given = {
                name: each.blocks[0] if isinstance(each, Unknown) and each.blocks else each
                for name, each in value.items()
            }
    return given


def _members(values: Collection[Value]) -> list[Value]:
    """Members; one of several blocks stands for all of them."""
    found: list[Value] = []
    for value in values:
        if isinstance(value, Unknown) and value.blocks:
            found += value.blocks
        elif isinstance(value, Unknown) and value.held:
            found += _members([each for one in value.held for each in one])
        elif value is NOTHING:
            continue
        elif isinstance(value, Unknown):
            raise Fault(
                "not_known",
                "A member is known only when the script runs.",
                "Make the blocks before anyone is asked.",
            )
        else:
            found.append(value)
    return found


def _known_tools(makes: Makes, tools: Value) -> None:
    if makes.tools is None or not isinstance(tools, list | tuple):
        return
    for tool in tools:
        if isinstance(tool, str) and tool not in makes.tools:
            listed = ", ".join(sorted(makes.tools))
            raise Fault(
                "unknown_tool",
                f"There is no tool {quoted(tool)}.",
                f"Use: {listed}." if listed else "Leave out tools.",
            )
