"""Writes a team as a script: one line for each block, inner ones first.

The same team is always written the same way, and what is written means the same team again:
`meaning_of(script_of(team)).team`. A block that stands in several places stays one block.
"""

import keyword
import re
from collections.abc import Mapping, Sequence

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
from workers.core.scripts.language import BUILTINS, IMPORTS, MODULE

_LINE_CHARS = 96
_NAME_CHARS = 24
_TAKEN = IMPORTS | BUILTINS | frozenset(keyword.kwlist) | frozenset(keyword.softkwlist)
Argument = tuple[str, str]
"""Its name, empty where it is written by its place, and its code."""


def script_of(team: Block) -> str:
    """The script that delivers this team. Raises ValueError for a team with a test that is a
    function: that is code and not data."""
    if not team.is_data:
        raise ValueError("A team with a test that is a function can't be written.")
    writer = _Writer()
    delivered = writer.name_of(team)
    names = ", ".join([*dict.fromkeys(sorted(writer.used)), "deliver"])
    body = "\n".join(writer.lines)
    return f"from {MODULE} import {names}\n\n{body}\ndeliver({delivered})\n"


class _Writer:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.used: set[str] = set()
        self._names: dict[Block, str] = {}
        self._taken: set[str] = set()

    def name_of(self, block: Block) -> str:
        if block not in self._names:
            arguments = self._arguments(block)
            name = self._free(block.name if isinstance(block, Agent) else f"{block.kind}_1")
            self._names[block] = name
            self.used.add(block.kind)
            self.lines.append(_call(f"{name} = {block.kind}", arguments))
        return self._names[block]

    def _free(self, wanted: str) -> str:
        base = re.sub(r"[^a-z0-9]+", "_", wanted.lower())[:_NAME_CHARS].strip("_") or "agent"
        base = f"a_{base}" if base[0].isdigit() else base
        name, count = base, 1
        while name in self._taken or name in _TAKEN:
            count += 1
            name = f"{base.removesuffix('_1')}_{count}"
        self._taken.add(name)
        return name

    def _arguments(self, block: Block) -> list[Argument]:
        match block:
            case Agent():
                return _agent(block)
            case Ensemble():
                return self._ensemble(block)
            case Reflection(worker=worker, critic=critic, rounds=rounds):
                return [*self._places(worker, critic), *_other("rounds", rounds, 2)]
            case Debate(debaters=debaters, judge=judge, rounds=rounds):
                members = ("", self._list(debaters))
                return [members, *self._maybe("judge", judge), *_other("rounds", rounds, 2)]
            case Steps(blocks=blocks):
                return self._places(*blocks)
            case _:
                return self._choosing(block)

    def _choosing(self, block: Block) -> list[Argument]:
        match block:
            case Router(by=by, routes=routes, otherwise=otherwise):
                chooser, chosen = self._places(by), ("", self._dict(routes))
                return [*chooser, chosen, *self._maybe("otherwise", otherwise)]
            case Conditional(test=Block() as test, then=then, otherwise=otherwise):
                return [*self._places(test, then), *self._maybe("otherwise", otherwise)]
            case Loop(body=body, until=Block() as until, most=most):
                return [*self._places(body, until), *_other("most", most, 3)]
            case Graph(nodes=nodes, edges=edges, output=output):
                pairs = ", ".join(f"({_text(source)}, {_text(target)})" for source, target in edges)
                ends = [("", f"[{pairs}]")] * bool(edges)
                return [("", self._dict(nodes)), *ends, ("output", _text(output))]
        raise ValueError(f"A {block.kind} can't be written.")

    def _ensemble(self, block: Ensemble) -> list[Argument]:
        arguments = [("", self._list(block.members)), ("by", _text(block.by))]
        if block.weights is not None:
            arguments.append(("weights", repr(list(block.weights))))
        return [*arguments, *self._maybe("judge", block.judge), *_other("rounds", block.rounds, 2)]

    def _places(self, *blocks: Block) -> list[Argument]:
        return [("", self.name_of(block)) for block in blocks]

    def _maybe(self, name: str, block: Block | None) -> list[Argument]:
        return [] if block is None else [(name, self.name_of(block))]

    def _list(self, blocks: Sequence[Block]) -> str:
        return f"[{', '.join(map(self.name_of, blocks))}]"

    def _dict(self, blocks: Mapping[str, Block]) -> str:
        named = [f"{_text(name)}: {self.name_of(block)}" for name, block in blocks.items()]
        return "{" + ", ".join(named) + "}"


def _agent(block: Agent) -> list[Argument]:
    return [
        ("", _text(block.name)),
        ("", _text(block.prompt)),
        *([("tools", f"[{', '.join(map(_text, block.tools))}]")] if block.tools else []),
        *_other("temperature", block.temperature, 0.0),
        *_other("turns", block.turns, None),
    ]


def _other(name: str, value: float | None, default: float | None) -> list[Argument]:
    """An argument, unless it has its default."""
    return [] if value == default else [(name, repr(value))]


def _call(made: str, arguments: Sequence[Argument]) -> str:
    written = [f"{name}={code}" if name else code for name, code in arguments]
    line = f"{made}({', '.join(written)})"
    if len(line) <= _LINE_CHARS or len(written) == 1:
        return line
    inner = "".join(f"    {each},\n" for each in written)
    return f"{made}(\n{inner})"


def _text(text: str) -> str:
    """A text as code on one line, in double quotes. Letters that can't be seen are escaped."""
    shown = "".join(_escaped(each) for each in text)
    return f'"{shown}"'


def _escaped(character: str) -> str:
    if character in {'"', "\\"}:
        return f"\\{character}"
    if character.isprintable() and not "\ud800" <= character <= "\udfff":
        return character
    return repr(character)[1:-1]
