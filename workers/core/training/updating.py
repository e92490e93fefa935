"""How the policies of a training of language models are updated: rates, steps, and what is told."""

import statistics
from collections.abc import Mapping, Sequence

import numpy as np

from workers.core.rollouts.base import LossOptions, PolicyEngine, Told, Weighted

COLD_FLOOR = 0.1
"""The share of its rate that a cold start ends with."""
SAMPLED = ("entropy", "clipped")
SHOWN = ("entropy",)
"""Demonstrations have no ratio."""


def fallen(rate: float, least: float, done: float) -> float:
    """A rate that falls evenly to the share `least` of it. `done`: the share of the steps."""
    return rate * (1 - (1 - least) * done)


def risen(step: int, warmup: int) -> float:
    """How far a learning rate has risen in this step."""
    return min(1.0, step / warmup) if warmup else 1.0


def step_seed(*parts: int) -> int:
    """A seed in [0, 2³¹) for what a step samples."""
    state: int = np.random.SeedSequence(parts).generate_state(1)[0]
    return int(state) >> 1


Step = Mapping[str, Sequence[Weighted]]
"""The batches of one optimiser step, by what they are called in metrics. Their losses are added."""


def updated(
    engine: PolicyEngine,
    steps: Mapping[str, Sequence[Step]],
    rates: Mapping[str, float],
    options: LossOptions,
    *,
    sampled: bool,
    shares: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """The optimiser steps of each policy, at its rate, and then a new version of it. A policy
    without steps stays as it is. `shares`: of the KL term's weight, by the batches' names; 1 where
    there is none. Returns metrics. Raises EngineError."""
    told: dict[str, list[Told]] = {}
    norms: list[float] = []
    for policy, own in steps.items():
        for step in own:
            for name, batch in step.items():
                weight = options.kl * (shares or {}).get(name, 1.0)
                own_options = options.model_copy(update={"kl": weight})
                told.setdefault(name, []).append(
                    engine.forward_backward(policy, batch, own_options)
                )
            norms.append(engine.optim_step(policy, rates[policy]))
        if own:
            engine.publish(policy)
    answers = sum(len(batch) for own in steps.values() for step in own for batch in step.values())
    return told_of(told, sampled=sampled, kl=options.kl > 0) | {
        **({"gradient_norm": statistics.fmean(norms)} if norms else {}),
        "learning_rate": max(rates.values(), default=0.0),
        "answers": float(answers),
    }


def told_of(
    told: Mapping[str, Sequence[Told]], *, sampled: bool, kl: bool = False
) -> dict[str, float]:
    """What the updates from the batches of each name were like. Means over their tokens. `kl`:
    whether the divergence was computed."""
    metrics: dict[str, float] = {}
    for name, updates in told.items():
        tokens = sum(each.tokens for each in updates)
        for part in (*(SAMPLED if sampled else SHOWN), *(("kl",) if kl else ())):
            total = sum(getattr(each, part) * each.tokens for each in updates)
            metrics[f"{part}_{name}"] = total / max(1, tokens)
        if sampled:
            compared = sum(each.compared for each in updates)
            total = sum(each.mismatch * each.compared for each in updates)
            metrics[f"mismatch_{name}"] = total / max(1, compared)
    losses = [each.loss for updates in told.values() for each in updates]
    return metrics | ({"loss": statistics.fmean(losses)} if losses else {})
