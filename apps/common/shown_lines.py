"""Two texts as the lines that differ, for a person: templates escape them, whatever they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from django.db.models import Model

MATCHED_PAIRS = 100_000
"""Of lines that are compared for one page, such as those of two texts of 300. What is more is not
matched line by line, which could take minutes for hostile texts."""
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
    """`name` is for people."""

    name: str
    lines: list[Line]


def field_name(model: type[Model], name: str) -> str:
    """As forms say it; a field that the model has no more has the name that it had."""
    known = (field for field in model._meta.fields if field.name == name)
    found = next(known, None)
    return str(found.verbose_name) if found else name.replace("_", " ")


def shown_lines(before: Sequence[str], after: Sequence[str], matching: Matching) -> list[Line]:
    """The lines that differ, with three around them; both texts whole where `matching` is used
    up."""
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
