"""The metrics of ReSo's trainings, named: of the database, and of tuned models."""

from __future__ import annotations

from workers.core.training.metrics import ENDPOINT, GRADIENT, OUTCOME, SPENT, MetricSpec

METRICS = (
    *OUTCOME,
    MetricSpec(
        "best_reward",
        "Reward of the best answer",
        help="Mean over the subtasks that were answered: of each, the answer whose reward was "
        "highest.",
    ),
    MetricSpec(
        "expected_reward",
        "Reward that was expected",
        help="R(a) of the agents that were asked, as it stood before the step. Where it meets the "
        "reward, the database knows them.",
    ),
    MetricSpec(
        "solved",
        "Solved with every subtask",
        "share",
        "The answer is right, and so is that of every subtask: a product may be right by chance. "
        "Told where the right answers of all subtasks are known.",
    ),
    MetricSpec(
        "reached",
        "Subtasks reached",
        "share",
        "Of the subtasks that were planned: after a level in which one was not solved, nothing "
        "more is asked.",
    ),
    MetricSpec(
        "suited",
        "Agents that suit their subtask",
        "share",
        "Of the agents that were asked: those whose similarity reaches the threshold V_th.",
    ),
    MetricSpec(
        "judged",
        "Answers judged",
        "share",
        "Of the agents that were asked: those whose answer got a reward.",
    ),
    MetricSpec(
        "planned",
        "Queries with a task graph",
        "share",
        "The others ended without a task graph that can be used.",
    ),
    MetricSpec(
        "spread",
        "Agents that the choices spread over",
        help="The exponential of the choices’ entropy: 1 where one agent is always asked, and the "
        "number of agents where all are asked alike.",
    ),
    MetricSpec(
        "agents_known",
        "Agents rewarded so far",
        help="Agents of the database with at least one reward.",
    ),
    MetricSpec(
        "selections",
        "Rewards so far",
        help="N of the exploration term: the rewards of all agents together.",
    ),
    MetricSpec("agents", "Agents"),
    *GRADIENT,
    *ENDPOINT,
    *SPENT,
)
