"""What a script does, as far as it is known: calls of blocks, and what may or may not happen."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from workers.core.scripts.blocks import Block
from workers.core.scripts.values import Said, Unknown


@dataclass(frozen=True, slots=True)
class Ask:
    """One call of a block. `number` counts from 1. `reads`: messages, texts made of messages, and
    texts of the script (empty Unknown)."""

    number: int
    block: Block
    reads: tuple[Said | Unknown, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Branch:
    """A test that waits for a reply. `waits`: the calls that it reads."""

    line: int
    waits: frozenset[int]
    then: "list[Item]"
    otherwise: "list[Item]"


@dataclass(frozen=True, slots=True)
class Repeat:
    """A loop that waits for a reply. `most`: how often its body runs at most, if that is known."""

    kind: Literal["for", "while"]
    line: int
    most: int | None
    items: "list[Item]" = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Deliver:
    said: Said | Unknown
    line: int


Item: TypeAlias = Ask | Branch | Repeat | Deliver


def holds_any(items: list[Item]) -> bool:
    """Whether anything is asked or delivered there."""
    for item in items:
        if isinstance(item, Ask | Deliver):
            return True
        inner = [*item.then, *item.otherwise] if isinstance(item, Branch) else item.items
        if holds_any(inner):
            return True
    return False
