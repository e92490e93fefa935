"""Writes a team that a drawing means as a script, for people to read and change."""

import keyword
import re
from collections.abc import Iterable

from workers.core.scripts.blocks import Agent, Block, Debate, Ensemble, Graph, Steps
from workers.core.scripts.language import BUILTINS, IMPORTS, MODULE

WIDTH = 88
_NOT_NAME = re.compile(r"[^a-z0-9]+")


def written(team: Block) -> str:
    """The script. Read again it means this team, with other lines.

    Raises ValueError for blocks other than agents, ensembles by majority or judge, debates,
    sequences and graphs.
    """
    writing = _Writing()
    said = writing.said(team)
    used = sorted({"deliver", *writing.used} & IMPORTS)
    head = f"from {MODULE} import {', '.join(used)}"
    return "\n".join([head, "", *writing.lines, f"deliver({said})", ""])


class _Writing:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.used: set[str] = set()
        self._names: dict[Block, str] = {}
        self._taken = {*IMPORTS, *BUILTINS, *keyword.kwlist, *keyword.softkwlist}

    def said(self, block: Block, indent: str = "") -> str:
        """The block as an expression. Agents stand above, each under its name."""
        self.used.add(block.kind)
        inner = indent + "    "
        match block:
            case Agent():
                return self._agent(block)
            case Steps(blocks=blocks):
                return _call("sequence", [self.said(each, inner) for each in blocks], indent)
            case Ensemble(members=members, by="majority"):
                return _call("ensemble", [self._list(members, inner)], indent)
            case Ensemble(members=members, by="judge", judge=Block() as judge):
                parts = [self._list(members, inner), 'by="judge"', f"judge={self.said(judge)}"]
                return _call("ensemble", parts, indent)
            case Debate(debaters=debaters, judge=judge, rounds=rounds):
                parts = [self._list(debaters, inner)]
                parts += [f"judge={self.said(judge)}"] if judge is not None else []
                return _call("debate", [*parts, f"rounds={rounds}"], indent)
            case Graph(nodes=nodes, edges=edges, output=output):
                deep = inner + "    "
                shown = [
                    f"{_quoted(name)}: {self.said(node, deep)}" for name, node in nodes.items()
                ]
                pairs = [f"({_quoted(source)}, {_quoted(target)})" for source, target in edges]
                parts = [
                    _within("{", shown, "}", inner),
                    f"edges={_within('[', pairs, ']', inner)}",
                    f"output={_quoted(output)}",
                ]
                return _call("graph", parts, indent)
        raise ValueError(f"a drawing means no {block.kind}")

    def _list(self, blocks: Iterable[Block], indent: str) -> str:
        return _within("[", [self.said(each, indent + "    ") for each in blocks], "]", indent)

    def _agent(self, agent: Agent) -> str:
        if agent not in self._names:
            name = self._names[agent] = self._name(agent.name)
            parts = [_quoted(agent.name), _text(agent.prompt)]
            parts += [f"tools=[{', '.join(map(_quoted, agent.tools))}]"] if agent.tools else []
            parts += [f"temperature={agent.temperature!r}"] if agent.temperature else []
            self.lines.append(f"{name} = {_call('agent', parts, '')}")
        return self._names[agent]

    def _name(self, wanted: str) -> str:
        base = _NOT_NAME.sub("_", wanted.casefold()).strip("_")[:30].strip("_")
        base = base if base and not base[0].isdigit() else f"agent_{base}".strip("_")
        name, number = base, 1
        while name in self._taken:
            number += 1
            name = f"{base}_{number}"
        self._taken.add(name)
        return name


def _call(name: str, parts: list[str], indent: str) -> str:
    return _within(f"{name}(", parts, ")", indent)


def _within(opening: str, parts: list[str], closing: str, indent: str) -> str:
    """In one line if it fits, else each part in its own."""
    line = f"{opening}{', '.join(parts)}{closing}"
    if "\n" not in line and len(indent) + len(line) <= WIDTH:
        return line
    inner = indent + "    "
    return "\n".join([opening, *(f"{inner}{part}," for part in parts), f"{indent}{closing}"])


def _quoted(text: str) -> str:
    """As a literal in double quotes, with all that is not printable escaped."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{"".join(each if each.isprintable() else _escaped(each) for each in plain)}"'


def _escaped(each: str) -> str:
    return repr(each)[1:-1]


def _text(text: str) -> str:
    """A prompt: a literal for each line, and for the parts of long lines."""
    pieces = [piece for line in text.splitlines(keepends=True) for piece in _pieces(line)]
    if len(pieces) == 1:
        return _quoted(text)
    return "\n".join(["(", *(f"        {_quoted(piece)}" for piece in pieces), "    )"])


def _pieces(line: str) -> Iterable[str]:
    while len(line) > WIDTH - 12:
        cut = line.rfind(" ", 0, WIDTH - 12) + 1 or WIDTH - 12
        yield line[:cut]
        line = line[cut:]
    if line:
        yield line
