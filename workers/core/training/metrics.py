"""What the metrics of a training are called, and how their values are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Unit = Literal["", "share", "usd", "seconds"]
"""share: from none to all, told in per cent."""


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """`name` as `TrainingMetric` has it; `help` where the title leaves a question open."""

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
    MetricSpec("held_out_agents", "Agents on held-out tasks"),
)
"""What was sampled, and what was held out: first in every list."""
ENDPOINT = (
    MetricSpec("endpoint_utilisation", "Endpoint in full use", "share"),
    MetricSpec("endpoint_failures", "Failed by the endpoint", "share"),
    MetricSpec("cache_hits", "Cache hits", "share"),
    MetricSpec("unknown_usage", "Unknown usage"),
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
