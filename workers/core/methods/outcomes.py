"""What becomes of a run when agents left no usable message."""

from __future__ import annotations

from collections.abc import Sequence

from workers.core.mas.outcome import AgentOutcome
from workers.core.methods.base import MethodError


def stopping_failure(outcomes: Sequence[AgentOutcome]) -> MethodError | None:
    """The first failure as the run's; None when nobody failed, such as when all refused."""
    for outcome in outcomes:
        if outcome.failure is not None:
            failure = outcome.failure
            return MethodError(code=failure.code, message=failure.message, remedy=failure.remedy)
    return None
