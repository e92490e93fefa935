"""The names of the metrics of ReSo's trainings."""

from workers.core.training.metrics import ENDPOINT, GRADIENT, OUTCOME, SPENT, MetricSpec

METRICS = (
    *OUTCOME,
    MetricSpec(
        "best_reward",
        "Reward of the best answer",
        help="Mean over the answered subtasks: the highest reward of each one's answers.",
    ),
    MetricSpec(
        "expected_reward",
        "Expected reward",
        help=(
            "Mean reward so far of the agents that were asked, before the step. If it equals "
            "the reward, the database knows its agents well (R(a))."
        ),
    ),
    MetricSpec(
        "solved",
        "Solved with every subtask",
        "share",
        "The final answer and the answers of all subtasks are right; a final answer alone may "
        "be right by chance. Counted if the right answers of all subtasks are known.",
    ),
    MetricSpec(
        "reached",
        "Subtasks reached",
        "share",
        "Share of the planned subtasks that were asked. After a level with an unsolved subtask, "
        "nothing more is asked.",
    ),
    MetricSpec(
        "suited",
        "Agents that suit their subtask",
        "share",
        "Share of the asked agents whose similarity reaches the threshold (V_th).",
    ),
    MetricSpec(
        "judged",
        "Answers judged",
        "share",
        "Share of the asked agents whose answer got a reward.",
    ),
    MetricSpec(
        "planned",
        "Queries with a task graph",
        "share",
        "The other queries ended without a usable task graph.",
    ),
    MetricSpec(
        "spread",
        "Spread of the choices over agents",
        help=(
            "1 if one agent is always asked; the number of agents if all are asked equally "
            "often (exponential of the choices’ entropy)."
        ),
    ),
    MetricSpec(
        "agents_known",
        "Agents rewarded so far",
        help="Agents of the database with at least one reward.",
    ),
    MetricSpec(
        "selections",
        "Rewards so far",
        help="Number of rewards of all agents together (N of the exploration term).",
    ),
    MetricSpec("agents", "Agents"),
    *GRADIENT,
    *ENDPOINT,
    *SPENT,
)
