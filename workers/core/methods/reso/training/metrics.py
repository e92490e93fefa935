"""The metrics of a step."""

import math
import statistics
from collections import Counter
from collections.abc import Sequence

from workers.core.agents.database import AgentDatabase
from workers.core.llm.meter import Meter
from workers.core.methods.reso.training.queries import Query
from workers.core.training.tasks import share_metrics


def step_metrics(
    queries: Sequence[Query], database: AgentDatabase, meter: Meter
) -> dict[str, float]:
    """`database` already knows the step's rewards. Metrics that don't exist in a step are left
    out."""
    asked = [
        candidate for query in queries for each in query.searches for candidate in each.candidates
    ]
    judged = [earned.reward for query in queries for earned in query.earned]
    best = [reward for query in queries for reward in query.best_rewards]
    known = [each for each in database.statistics().values() if each.count]
    subtasks = sum(query.subtasks for query in queries)
    answered = sum(len(query.answered) for query in queries)
    failures = sum(len(query.failures) for query in queries)
    told = [query.correct for query in queries if not query.unanswered]
    metrics = {
        **(share_metrics("accuracy", told) if told else {}),
        "planned": statistics.fmean(query.planned for query in queries),
        "judged": len(judged) / len(asked) if asked else 0.0,
        "agents_known": float(len(known)),
        "selections": float(sum(each.count for each in known)),
        "tokens": statistics.fmean(query.tokens for query in queries),
        "agents": statistics.fmean(query.agents for query in queries),
        "endpoint_failures": failures / max(sum(query.agents for query in queries), 1),
        "endpoint_utilisation": meter.utilisation,
        "unknown_usage": float(meter.unknown_usage),
    }
    known_whole = [query.solved for query in queries if query.subtasks and not query.unanswered]
    if solved := [each for each in known_whole if each is not None]:
        metrics |= share_metrics("solved", solved)
    if meter.answers:
        metrics["cache_hits"] = meter.cached / meter.answers
    if judged:
        metrics["reward"] = statistics.fmean(judged)
    if best:
        metrics["best_reward"] = statistics.fmean(best)
    if subtasks:
        metrics["reached"] = answered / subtasks
    if asked:
        metrics["expected_reward"] = statistics.fmean(candidate.reward for candidate in asked)
        metrics["suited"] = statistics.fmean(
            candidate.inner_product >= each.threshold
            for query in queries
            for each in query.searches
            for candidate in each.candidates
        )
        metrics["spread"] = _spread(Counter((c.role_key, c.endpoint) for c in asked))
    return metrics


def held_out_metrics(queries: Sequence[Query]) -> dict[str, float]:
    """Over the tasks that the endpoints answered; at least one."""
    answered = [query for query in queries if not query.unanswered]
    accuracy = share_metrics("held_out_accuracy", [query.correct for query in answered])
    return {
        "held_out_reward": accuracy["held_out_accuracy"],
        **accuracy,
        "held_out_tokens": statistics.fmean(query.tokens for query in answered),
        "held_out_agents": statistics.fmean(len(query.graph.nodes) for query in answered),
    }


def _spread(chosen: Counter[tuple[str, str]]) -> float:
    """Over how many agents the choices are spread: the exponential of their entropy."""
    total = chosen.total()
    return math.exp(-sum(n / total * math.log(n / total) for n in chosen.values()))
