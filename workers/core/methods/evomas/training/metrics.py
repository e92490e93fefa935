"""The metrics of a step, how likely each role was in it, and the metrics of held-out tasks."""

import statistics
from collections import defaultdict
from collections.abc import Sequence

from workers.core.events import LayerSampled, Place, Selection
from workers.core.llm.meter import Meter
from workers.core.methods.evomas.training.metric_names import probability_of
from workers.core.methods.evomas.training.rollouts import Rollout
from workers.core.training.tasks import share_metrics


def step_metrics(rollouts: Sequence[Rollout], meter: Meter) -> dict[str, float]:
    """Metrics that don't exist in a step are left out."""
    agents = sum(rollout.agents for rollout in rollouts)
    failures = sum(len(rollout.failures) for rollout in rollouts)
    verdicts = [verdict for rollout in rollouts for verdict in rollout.verdicts]
    metrics = {
        **_of(rollouts, "accuracy"),
        **_probabilities(rollouts),
        "completed": statistics.fmean(rollout.ending == "completed" for rollout in rollouts),
        "stages": statistics.fmean(len(rollout.stages) for rollout in rollouts),
        "calls": statistics.fmean(rollout.calls for rollout in rollouts),
        "tokens": statistics.fmean(rollout.tokens for rollout in rollouts),
        "endpoint_failures": failures / max(agents, 1),
        "endpoint_utilisation": meter.utilisation,
        "unknown_usage": float(meter.unknown_usage),
    }
    if "accuracy" in metrics:
        metrics["reward"] = metrics["accuracy"]
    if verdicts:
        metrics["verdict_success"] = statistics.fmean(v.verdict == "success" for v in verdicts)
    if meter.answers:
        metrics["cache_hits"] = meter.cached / meter.answers
    return metrics


def held_out_metrics(rollouts: Sequence[Rollout]) -> dict[str, float]:
    """Over the tasks whose endpoint answered; at least one."""
    told = [rollout for rollout in rollouts if not rollout.tells_nothing]
    accuracy = _of(told, "held_out_accuracy")
    return {
        "held_out_reward": accuracy["held_out_accuracy"],
        **accuracy,
        "held_out_tokens": statistics.fmean(rollout.tokens for rollout in told),
        "held_out_agents": statistics.fmean(rollout.agents for rollout in told),
        "held_out_stages": statistics.fmean(len(rollout.stages) for rollout in told),
    }


def step_selections(rollouts: Sequence[Rollout]) -> tuple[Selection, ...]:
    """The mean of p (Eq. 11) at the first, the middle and the last stages of tasks, layer by layer
    (the rows and rings of Figure 7). Rounded: it is stored with every step."""
    found: dict[tuple[Place, int], list[LayerSampled]] = defaultdict(list)
    for rollout in rollouts:
        stages = max((layer.stage for layer in rollout.layers), default=0)
        for layer in rollout.layers:
            found[_place(layer.stage, stages), layer.layer].append(layer)
    return tuple(
        Selection(place=place, layer=layer, count=len(told), probabilities=_means(told))
        for (place, layer), told in sorted(found.items())
    )


def _place(stage: int, stages: int) -> Place:
    if stage == 1:
        return "first"
    return "last" if stage == stages else "middle"


def _means(layers: Sequence[LayerSampled]) -> dict[str, float]:
    found: dict[str, list[float]] = defaultdict(list)
    for layer in layers:
        for candidate in layer.candidates:
            found[candidate.role].append(candidate.probability)
    return {role: round(statistics.fmean(values), 4) for role, values in found.items()}


def _of(rollouts: Sequence[Rollout], name: str) -> dict[str, float]:
    """The share of right answers, whole and by the tasks' levels, where tasks have one."""
    right: dict[str, list[bool]] = defaultdict(list)
    for rollout in rollouts:
        if rollout.tells_nothing:
            continue
        right[name].append(rollout.correct)
        if (level := rollout.task.metadata.get("level")) is not None:
            right[f"{name}_level_{level}"].append(rollout.correct)
    return {key: value for each in right for key, value in share_metrics(each, right[each]).items()}


def _probabilities(rollouts: Sequence[Rollout]) -> dict[str, float]:
    """Mean probability of each role in each layer."""
    found: dict[str, list[float]] = defaultdict(list)
    for rollout in rollouts:
        for layer in rollout.layers:
            for candidate in layer.candidates:
                found[probability_of(layer.layer, candidate.role)].append(candidate.probability)
    return {name: statistics.fmean(values) for name, values in sorted(found.items())}
