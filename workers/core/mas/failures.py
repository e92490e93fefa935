"""Why an agent failed, in words for people."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from workers.core.errors import Failure
from workers.core.llm.errors import filtered, quoted
from workers.core.llm.finish import FILTERED
from workers.core.llm.types import BudgetExceeded, ChatResult, LLMError
from workers.core.mas.outcome import AgentOutcome
from workers.core.specs import EndpointSpec

EMPTY_MESSAGE = Failure(
    code="empty_message",
    message="The model ended its turn without writing anything.",
    remedy="Allow more completion tokens per call, or use another model.",
)

NO_INPUT = "no_input"
"""Of an agent that nobody it reads left anything: not its own failure, but of those before it."""

MODEL_REFUSED = "model_refused"
ONLY_THOUGHTS = "only_thoughts"
"""The model wrote its thoughts, in its text or apart from it, and no answer."""

OUT_OF_TIME = "out_of_time"
"""Of a run or an agent whose seconds were over: how many it needs depends on how busy the endpoint
is, unlike tokens and cost."""


def no_answer(result: ChatResult, endpoint: EndpointSpec, *, thought: bool) -> LLMError | None:
    """Why a turn is no answer, though the call succeeded. None for an answer, and for a turn
    without any text. `thought`: the model wrote thoughts beside the text of `result`.

    A text that the content filter cut is no answer: half of one would count as a whole one.
    """
    if result.finish_reason == FILTERED:
        return filtered(endpoint, quoted(result.refusal, ""))
    if result.text.strip():
        return None
    if result.refusal.strip():
        return LLMError(
            code=MODEL_REFUSED,
            message=f"The model refused to answer: {quoted(result.refusal, '')}",
            remedy="Reword the query or the role's prompt, or use another model.",
            permanent=True,
        )
    return _only_thoughts(cut=result.cut) if thought else None


def _only_thoughts(*, cut: bool) -> LLMError:
    used = "used all its tokens for thinking" if cut else "thought, then ended its turn"
    return LLMError(
        code=ONLY_THOUGHTS,
        message=f"The model {used} and wrote no answer.",
        remedy=(
            "Allow more completion tokens per call, or let the model think less."
            if cut
            else "Turn the model's thinking off at its server, or use another model."
        ),
        permanent=True,
    )


def budget_exceeded(error: BudgetExceeded) -> Failure:
    if error.limit == "seconds":
        return Failure(
            code=OUT_OF_TIME,
            message=error.message,
            remedy=(
                "Waiting for a busy endpoint counts too: raise the run's seconds, or ask less of "
                "the endpoint at once."
            ),
        )
    return Failure(
        code="budget_exceeded",
        message=error.message,
        remedy="Raise the run's budget, or use fewer or cheaper agents.",
    )


def no_input(inputs: Sequence[AgentOutcome]) -> Failure:
    """Nobody whom the agent reads left a usable message."""
    silent = ", ".join(
        f"{outcome.agent_id} {'refused' if outcome.refused else 'failed'}" for outcome in inputs
    )
    return Failure(
        code=NO_INPUT,
        message=f"Not started: no agent that it reads left a message ({silent}).",
        remedy="See why those agents gave none.",
    )


def unknown_endpoint(wanted: str, known: Collection[str]) -> Failure:
    return Failure(
        code="unknown_endpoint",
        message=f"The agent names the endpoint “{wanted}”, which this run does not know.",
        remedy=f"Use one of: {', '.join(sorted(known))}.",
    )
