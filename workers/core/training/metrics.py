"""The names of a training's metrics, and how their values are written."""

from dataclasses import dataclass
from typing import Literal

Unit = Literal["", "share", "usd", "seconds"]
"""share: a share from 0 to 1, shown as a percentage."""


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """`name` as in `TrainingMetric`. `help` explains a title that is not clear by itself."""

    name: str
    title: str
    unit: Unit = ""
    help: str = ""


OUTCOME = (
    MetricSpec("reward", "Reward"),
    MetricSpec("accuracy", "Accuracy", "share"),
    MetricSpec("tokens", "Tokens per system"),
    MetricSpec("held_out_reward", "Reward on held-out tasks"),
    MetricSpec("held_out_accuracy", "Accuracy on held-out tasks", "share"),
    MetricSpec("held_out_tokens", "Tokens per system on held-out tasks"),
    MetricSpec("held_out_agents", "Agents per system on held-out tasks"),
)
"""Results on sampled and on held-out tasks, first in every list."""
ENDPOINT = (
    MetricSpec("endpoint_utilisation", "Time with the endpoint in full use", "share"),
    MetricSpec("endpoint_failures", "Agents whose endpoint failed", "share"),
    MetricSpec("cache_hits", "Answers from the cache", "share"),
    MetricSpec("unknown_usage", "Answers with unknown usage"),
)
SPENT = (
    MetricSpec("cost_total", "Cost so far", "usd"),
    MetricSpec("tokens_total", "Tokens so far"),
    MetricSpec("seconds", "Seconds per step", "seconds"),
)
GRADIENT = (
    MetricSpec("loss", "Loss"),
    MetricSpec("gradient_norm", "Gradient norm"),
)
OF_POLICIES = (
    MetricSpec("entropy", "Entropy per token", help="In nats. Near 0: the policy tries nothing."),
    MetricSpec("clipped", "Tokens outside the clip", "share"),
    MetricSpec("kl", "KL divergence from the start", help="Nats per token, estimated (k3)."),
    MetricSpec(
        "mismatch",
        "Difference of sampler and trainer",
        help=(
            "Mean difference of the log-probabilities of a token. With numbers of 16 bits, up to "
            "0.05 is usual, and updates weigh tokens for it; “exact” makes it 0. Above 0.01 with "
            "vLLM, check the server's precision. Above 0.1 the training stops."
        ),
    ),
)
"""Of the updates of each policy: NAME_POLICY."""
OF_STEPS = (
    *GRADIENT,
    MetricSpec("learning_rate", "Learning rate"),
    MetricSpec("answers", "Replies learned from"),
    MetricSpec(
        "too_long",
        "Demonstrations left out",
        "share",
        "They are longer than what may be sampled. If there are many, raise the limit of a reply.",
    ),
    MetricSpec("tokens_total", "Tokens sampled so far"),
    MetricSpec("seconds_sampling", "Seconds of sampling", "seconds"),
    MetricSpec(
        "seconds_publication",
        "Seconds of publication",
        "seconds",
        "Until vLLM servers had the new weights.",
    ),
    MetricSpec("seconds_update", "Seconds of updates", "seconds"),
    MetricSpec("seconds", "Seconds per step", "seconds"),
)
"""Of a training of language models, last in the list."""
