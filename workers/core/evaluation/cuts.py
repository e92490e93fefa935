"""Warns if so many of an arm's answers were cut that its numbers say little.

A reply that stops at its token limit usually has no answer yet. So an arm with long answers loses
to one with short answers, even if it would win with more room.
"""

from dataclasses import dataclass
from typing import Literal

from workers.core.specs import REPLY_TOKENS

WARN_ABOVE = 0.05


@dataclass(frozen=True, slots=True)
class CutCounts:
    """Counts of one arm: its models' replies and how many were cut, its final answers and how many
    are from a cut reply. Cells where that is unknown are left out."""

    replies: int
    cut_replies: int
    finals: int
    cut_finals: int

    @property
    def share(self) -> float | None:
        """The cut share of all replies; None: unknown."""
        return self.cut_replies / self.replies if self.replies else None

    @property
    def final_share(self) -> float | None:
        return self.cut_finals / self.finals if self.finals else None


@dataclass(frozen=True, slots=True)
class CutWarning:
    """`share` is the cut share of the arm's replies or final answers, whichever is larger. They
    were cut at `limit` tokens. `suggested_limit` has more room; None: the endpoint's context has no
    more."""

    label: str
    share: float
    of: Literal["replies", "finals"]
    limit: int
    suggested_limit: int | None
    message: str


def cut_warning(label: str, counts: CutCounts, *, limit: int, most: int) -> CutWarning | None:
    """`limit`: the token limit of one reply of the arm. `most`: the most that its endpoint's
    context allows. None: at most WARN_ABOVE were cut, or it is unknown."""
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
    """Twice the limit, at least the studio's default, at most `most`. None: there is no room."""
    wanted = min(max(2 * limit, REPLY_TOKENS), most)
    return wanted if wanted > limit else None


def percent(share: float) -> str:
    """The share. Below 10% it has a decimal: a rounded “5%” would look like no warning."""
    return f"{share:.0%}" if share >= 0.1 else f"{share:.1%}"
