"""When an arm's answers were cut so often that its numbers say little.

A reply that stops at its token limit has mostly not reached its answer. An arm with long answers
then loses to one with short answers, even if it would win with more room.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workers.core.specs import REPLY_TOKENS

WARN_ABOVE = 0.05


@dataclass(frozen=True, slots=True)
class CutCounts:
    """Counts of one arm: replies of its models and how many were cut; final answers, and how many
    are from a cut reply. Cells where that is unknown are left out."""

    replies: int
    cut_replies: int
    finals: int
    cut_finals: int

    @property
    def share(self) -> float | None:
        """Of all replies; None: unknown."""
        return self.cut_replies / self.replies if self.replies else None

    @property
    def final_share(self) -> float | None:
        return self.cut_finals / self.finals if self.finals else None


@dataclass(frozen=True, slots=True)
class CutWarning:
    """`share` of the arm's replies or of its final answers, whichever is larger, were cut at
    `limit` tokens. `suggested_limit` has room; None: the endpoint's context has no more."""

    label: str
    share: float
    of: Literal["replies", "finals"]
    limit: int
    suggested_limit: int | None
    message: str


def cut_warning(label: str, counts: CutCounts, *, limit: int, most: int) -> CutWarning | None:
    """`limit`: tokens that one reply of the arm had; `most`: that one could have, by the context of
    its endpoint. None: at most WARN_ABOVE were cut, or it is unknown."""
    share, final = counts.share or 0.0, counts.final_share or 0.0
    of: Literal["replies", "finals"] = "finals" if final > share else "replies"
    worst = max(share, final)
    if worst <= WARN_ABOVE:
        return None
    what = "final answers" if of == "finals" else "answers"
    message = (
        f"{percent(worst)} of the {what} of “{label}” were cut at {limit:,} tokens. "
        "The comparison favours short answers."
    )
    return CutWarning(label, worst, of, limit, room_for(limit, most), message)


def room_for(limit: int, most: int) -> int | None:
    """Twice the limit, at least the studio's default and at most `most`. None: there is no room."""
    wanted = min(max(2 * limit, REPLY_TOKENS), most)
    return wanted if wanted > limit else None


def percent(share: float) -> str:
    """With a decimal below 10%: a rounded “5%” would read like a share without a warning."""
    return f"{share:.0%}" if share >= 0.1 else f"{share:.1%}"
