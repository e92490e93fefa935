"""Two texts as the lines that differ, for a person. Templates escape the lines, whatever they
say."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from django.db.models import Model

MATCHED_PAIRS = 100_000
"""Limit on the pairs of lines that are compared for one page; two texts of 300 lines make 90,000
pairs. Beyond it, lines are not matched, which could take minutes for hostile texts."""
CONTEXT_LINES = 3

Kind = Literal["added", "removed", "same", "gap"]


@dataclass(frozen=True, slots=True)
class Line:
    kind: Kind
    text: str = ""


@dataclass(slots=True)
class Matching:
    """How many pairs of lines may still be compared for a page."""

    left: int = MATCHED_PAIRS

    def affords(self, before: Sequence[str], after: Sequence[str]) -> bool:
        pairs = len(before) * len(after)
        if pairs > self.left:
            return False
        self.left -= pairs
        return True


@dataclass(frozen=True, slots=True)
class ShownField:
    """`name` is the field's name for people."""

    name: str
    lines: list[Line]


def field_name(model: type[Model], name: str) -> str:
    """Field names as forms show them. A field that the model no longer has keeps its old name."""
    known = (field for field in model._meta.fields if field.name == name)
    found = next(known, None)
    return str(found.verbose_name) if found else name.replace("_", " ")


def shown_lines(before: Sequence[str], after: Sequence[str], matching: Matching) -> list[Line]:
    """The lines that differ, with three lines around them. Both texts in full when `matching` is
    used up."""
    if not matching.affords(before, after):
        return [Line("removed", t) for t in before] + [Line("added", t) for t in after]
    lines: list[Line] = []
    matcher = SequenceMatcher(a=before, b=after, autojunk=False)
    for number, group in enumerate(matcher.get_grouped_opcodes(CONTEXT_LINES)):
        if number or group[0][1]:
            lines.append(Line("gap"))
        for tag, i, j, k, m in group:
            if tag == "equal":
                lines += [Line("same", text) for text in before[i:j]]
                continue
            lines += [Line("removed", text) for text in before[i:j]]
            lines += [Line("added", text) for text in after[k:m]]
    return lines
