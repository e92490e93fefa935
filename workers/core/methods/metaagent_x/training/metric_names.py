"""The names of the metrics of MetaAgent-X's trainings."""

from workers.core.training.metrics import OF_POLICIES, OF_STEPS, MetricSpec

ROLES = {"designer": "the designer", "executor": "the executor"}

METRICS = (
    MetricSpec(
        "correct",
        "Right answers",
        "share",
        "Over all executions of all designs. A design that does not run is wrong.",
    ),
    MetricSpec("held_out_accuracy", "Right answers to held-out tasks", "share", "One design each."),
    MetricSpec("reward", "Reward", help="Mean over all designs; one that does not run has 0."),
    MetricSpec("held_out_reward", "Reward on held-out tasks"),
    MetricSpec(
        "designer_reward",
        "Reward of the designer",
        help="Mean over all designs, less the cost of their agents' calls.",
    ),
    MetricSpec(
        "executor_reward", "Reward of the executor", help="Mean over the executions it learns from."
    ),
    MetricSpec("stage", "Role that learns", help="0: designer. 1: executor. 2: both."),
    MetricSpec("scripts_parse", "Scripts that can be used", "share", "They pass every check."),
    MetricSpec("scripts_run", "Scripts that deliver", "share", "At least one execution did."),
    MetricSpec("scripts_right", "Scripts that were right", "share", "At least one execution was."),
    MetricSpec("shapes", "Different teams", help="Shapes among the designs of a step."),
    MetricSpec("calls", "Agent calls of an execution"),
    MetricSpec("tokens", "Tokens of an execution", help="Without the designer's."),
    MetricSpec("held_out_run", "Held-out designs that deliver", "share"),
    MetricSpec("held_out_calls", "Agent calls of a held-out task"),
    MetricSpec("held_out_tokens", "Tokens of a held-out task", help="With the designer's."),
    *(
        MetricSpec(
            f"flat_{name}",
            f"Questions with equal rewards for {title}",
            "share",
            "They teach nothing: each advantage is 0.",
        )
        for name, title in ROLES.items()
    ),
    *(
        MetricSpec(f"cut_{name}", f"Replies of {title} cut at the limit", "share")
        for name, title in ROLES.items()
    ),
    MetricSpec("unusable_executor", "Replies of the executor without a message", "share"),
    *(
        MetricSpec(f"{one.name}_{name}", f"{one.title}, {title}", one.unit, one.help)
        for one in OF_POLICIES
        for name, title in ROLES.items()
    ),
    *OF_STEPS,
)
