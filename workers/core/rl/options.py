"""Named readings of a formula, for configurations. Light to import."""

from typing import Literal

Normalise = Literal["group", "batch", "none"]
"""The divisor of a group-relative advantage: see `advantages.group_advantage`."""

Weigh = Literal["system", "action"]
"""What has equal weight in the mean over a sample: see `objective.action_weights`."""
