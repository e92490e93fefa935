"""Named readings of a formula, for configurations; light to import."""

from __future__ import annotations

from typing import Literal

Normalise = Literal["group", "batch", "none"]
"""What a group-relative advantage is divided by: see `advantages.group_advantage`."""

Weigh = Literal["system", "action"]
"""What counts alike in the mean over a sample: see `objective.action_weights`."""
