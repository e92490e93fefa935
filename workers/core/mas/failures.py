"""Why an agent failed, in words for people."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from workers.core.events import Failure
from workers.core.mas.outcome import AgentOutcome

EMPTY_MESSAGE = Failure(
    code="empty_message",
    message="The model ended its turn without writing anything.",
    remedy="Allow more completion tokens per call, or use another model.",
)


def budget_exceeded(message: str) -> Failure:
    return Failure(
        code="budget_exceeded",
        message=message,
        remedy="Raise the run's budget, or use fewer or cheaper agents.",
    )


def no_input(inputs: Sequence[AgentOutcome]) -> Failure:
    """Nobody whom the agent reads left a usable message."""
    silent = ", ".join(
        f"{outcome.agent_id} {'refused' if outcome.refused else 'failed'}" for outcome in inputs
    )
    return Failure(
        code="no_input",
        message=f"Not started: no agent that it reads left a message ({silent}).",
        remedy="See why those agents gave none.",
    )


def unknown_endpoint(wanted: str, known: Collection[str]) -> Failure:
    return Failure(
        code="unknown_endpoint",
        message=f"The agent names the endpoint “{wanted}”, which this run does not know.",
        remedy=f"Use one of: {', '.join(sorted(known))}.",
    )
