"""Decisions as events."""

from collections.abc import Sequence

from workers.core.events import BackProbability, EdgeProbability, EdgesSampled, NodeSampled
from workers.core.methods.mashost.construct import Decision, EdgeDecision
from workers.core.methods.mashost.masks import DELETE, EXIT
from workers.core.methods.mashost.state import AgentState
from workers.core.specs import PoolSpec


def node_sampled(
    step: int,
    decision: Decision,
    pool: PoolSpec,
    *,
    greedy: bool,
    agent_id: str | None,
    out_of_scope: bool = False,
) -> NodeSampled:
    """All K + 2 actions in the order of the logits. Their probabilities sum to 1."""
    actions = [*(role.key for role in pool.roles), DELETE, EXIT]
    # One validation of plain values: a thousand candidates cost 1 ms instead of 3.
    return NodeSampled.model_validate(
        {
            "step": step,
            "candidates": [
                {"action": action, "probability": min(probability, 1.0), "masked": not allowed}
                for action, probability, allowed in zip(
                    actions, decision.probabilities, decision.allowed, strict=True
                )
            ],
            "kind": decision.kind,
            "choice": actions[decision.action],
            "log_probability": decision.log_probability,
            "greedy": greedy,
            "agent_id": agent_id,
            "out_of_scope": out_of_scope,
        }
    )


def edges_sampled(
    step: int, agent_id: str, agents: Sequence[AgentState], edges: EdgeDecision
) -> EdgesSampled:
    """One candidate per present agent, in the order in which they were added."""
    return EdgesSampled(
        step=step,
        agent_id=agent_id,
        candidates=tuple(
            EdgeProbability(source=agent.said, probability=probability, chosen=chosen)
            for agent, probability, chosen in zip(
                agents, edges.probabilities, edges.chosen, strict=True
            )
        ),
        log_probability=edges.log_probability,
        back=tuple(
            BackProbability(target=agent.agent_id, probability=probability, chosen=sent)
            for agent, probability, sent in zip(
                agents, edges.back_probabilities, edges.sent_back, strict=bool(edges.sent_back)
            )
        ),
    )
