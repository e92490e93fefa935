"""The names of the metrics of MasHost's trainings."""

from workers.core.training.metrics import ENDPOINT, GRADIENT, OUTCOME, SPENT, MetricSpec

METRICS = (
    *OUTCOME,
    MetricSpec("agents", "Agents"),
    MetricSpec("depth", "Depth of the graph"),
    MetricSpec("edges", "Edges"),
    MetricSpec("actions", "Actions per system"),
    MetricSpec("reward_price", "Reward lost to the price of tokens"),
    MetricSpec("reward_action", "Reward per action"),
    MetricSpec("advantage_spread", "Spread of advantages"),
    MetricSpec("node_entropy", "Entropy of roles"),
    MetricSpec("edge_entropy", "Entropy of edges"),
    MetricSpec("share_delete", "Share of DELETE actions", "share"),
    MetricSpec("share_exit", "Share of EXIT actions", "share"),
    MetricSpec("share_refused", "Share of agents that refused", "share"),
    MetricSpec("ratio_clipped", "Share of clipped actions", "share"),
    MetricSpec("zero_variance_groups", "Groups with equal rewards", "share"),
    *GRADIENT,
    MetricSpec("critic_loss", "Loss of the critic"),
    MetricSpec("entropy_bonus", "Entropy bonus"),
    MetricSpec("unexplained_variance", "Unexplained variance"),
    MetricSpec("cost", "Cost per system", "usd"),
    MetricSpec("redrawn", "Systems drawn again", "share"),
    MetricSpec("explored_better", "Explored systems better than the mean", "share"),
    *ENDPOINT,
    *SPENT,
)
