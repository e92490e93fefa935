"""The metrics of MasHost's trainings, named."""

from __future__ import annotations

from workers.core.training.metrics import ENDPOINT, GRADIENT, OUTCOME, SPENT, MetricSpec

METRICS = (
    *OUTCOME,
    MetricSpec("agents", "Agents"),
    MetricSpec("depth", "Depth of the graph"),
    MetricSpec("edges", "Edges"),
    MetricSpec("actions", "Actions per system"),
    MetricSpec("reward_price", "Price of the tokens, in reward"),
    MetricSpec("reward_action", "Reward of actions"),
    MetricSpec("advantage_spread", "Spread of advantages"),
    MetricSpec("node_entropy", "Entropy of roles"),
    MetricSpec("edge_entropy", "Entropy of edges"),
    MetricSpec("share_delete", "Share of DELETE", "share"),
    MetricSpec("share_exit", "Share of EXIT", "share"),
    MetricSpec("share_refused", "Share of refusals", "share"),
    MetricSpec("ratio_clipped", "Ratio clipped", "share"),
    MetricSpec("zero_variance_groups", "Groups without variance", "share"),
    *GRADIENT,
    MetricSpec("critic_loss", "Loss of the critic"),
    MetricSpec("entropy_bonus", "Entropy bonus"),
    MetricSpec("unexplained_variance", "Unexplained variance"),
    MetricSpec("cost", "Cost per system", "usd"),
    MetricSpec("redrawn", "Drawn again", "share"),
    MetricSpec("explored_better", "Explored, and better than the mean", "share"),
    *ENDPOINT,
    *SPENT,
)
