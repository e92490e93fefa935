"""The token limit of one reply, and where it comes from."""

from dataclasses import dataclass

from workers.core.events import LimitedBy
from workers.core.llm.types import ChatResult
from workers.core.specs import EndpointSpec


@dataclass(frozen=True, slots=True)
class ReplyLimit:
    """At most `tokens`. `by`: the limit of one reply, half of the endpoint's context, or what was
    left of the run's tokens or cost."""

    tokens: int
    by: LimitedBy


def reply_limit(endpoint: EndpointSpec, allowed: int) -> ReplyLimit:
    """The limit of a call before it is made. `allowed` is what the budget gives one reply."""
    most = endpoint.most_reply_tokens
    return ReplyLimit(most, "context") if most < allowed else ReplyLimit(allowed, "call")


def limit_met(planned: ReplyLimit, result: ChatResult) -> ReplyLimit:
    """The limit that a reply actually had."""
    if result.limit is not None and result.limit < planned.tokens:
        return ReplyLimit(result.limit, "run")
    return planned
