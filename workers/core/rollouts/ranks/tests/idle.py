"""An engine without a model. Ranks that import no transformers start twice as fast."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workers.core.rollouts.base import Ids, Messages


class Idle:
    """For ranks that are stopped before they could answer more than a prompt."""

    def prompt(self, policy: str, messages: Messages) -> Ids:
        return (1,)
