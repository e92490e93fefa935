"""How many solvers a policy asks."""

from typing import ClassVar, Literal

from pydantic import Field

from workers.core.events.base import EventBase
from workers.core.events.shown import Shown, whole


class SizeDrawn(EventBase):
    """`probabilities`: of 1, 2, … solvers."""

    event: Literal["size_drawn"] = "size_drawn"
    shown: ClassVar[Shown] = whole("size", "probabilities")
    size: int = Field(ge=1)
    probabilities: tuple[float, ...]
