"""Why an agent failed, in sentences for people."""

from collections.abc import Collection, Sequence

from workers.core.errors import Failure
from workers.core.llm.errors import filtered, quoted
from workers.core.llm.finish import FILTERED
from workers.core.llm.types import BudgetExceeded, ChatResult, LLMError
from workers.core.mas.outcome import AgentOutcome
from workers.core.specs import EndpointSpec

EMPTY_MESSAGE = Failure(
    code="empty_message",
    message="The model wrote nothing.",
    remedy="Allow more completion tokens per call, or use another model.",
)

NO_INPUT = "no_input"
"""Code for an agent whose inputs are all empty: the failure is not its own but theirs."""

MODEL_REFUSED = "model_refused"
ONLY_THOUGHTS = "only_thoughts"
"""Code: the model wrote thoughts, in its text or apart from it, but no answer."""

OUT_OF_TIME = "out_of_time"
"""Code for a run or an agent that reached its time limit. Unlike tokens and cost, time depends on
how busy the endpoint is."""


def no_answer(result: ChatResult, endpoint: EndpointSpec, *, thought: bool) -> LLMError | None:
    """Why a turn is no answer although the call succeeded. None for an answer, and for a turn
    without any text. `thought`: the model wrote thoughts beside the text of `result`.

    A text that the content filter cut is no answer: half a text would count as a whole one.
    """
    if result.finish_reason == FILTERED:
        return filtered(endpoint, quoted(result.refusal, ""))
    if result.text.strip():
        return None
    if result.refusal.strip():
        return LLMError(
            code=MODEL_REFUSED,
            message=f"The model refused to answer: {quoted(result.refusal, '')}",
            remedy="Reword the question or the role's prompt, or use another model.",
            permanent=True,
        )
    return _only_thoughts(cut=result.cut) if thought else None


def _only_thoughts(*, cut: bool) -> LLMError:
    used = "used all its tokens for thinking" if cut else "only thought"
    return LLMError(
        code=ONLY_THOUGHTS,
        message=f"The model {used} and wrote no answer.",
        remedy=(
            "Allow more completion tokens per call, or set the model to think less."
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
                "Waiting for a busy endpoint also counts. Raise the run's seconds, or send "
                "fewer requests to the endpoint at once."
            ),
        )
    return Failure(
        code="budget_exceeded",
        message=error.message,
        remedy="Raise the run's budget, or use fewer or cheaper agents.",
    )


def no_input(inputs: Sequence[AgentOutcome]) -> Failure:
    """The failure of an agent whose predecessors left no usable message."""
    silent = ", ".join(
        f"{outcome.agent_id} {'refused' if outcome.refused else 'failed'}" for outcome in inputs
    )
    return Failure(
        code=NO_INPUT,
        message=(
            f"The agent was not started, because no agent that it reads left a message ({silent})."
        ),
        remedy="Check why those agents left no message.",
    )


def unknown_endpoint(wanted: str, known: Collection[str]) -> Failure:
    return Failure(
        code="unknown_endpoint",
        message=f"The agent uses the endpoint “{wanted}”, which this run does not have.",
        remedy=f"Use one of: {', '.join(sorted(known))}.",
    )
