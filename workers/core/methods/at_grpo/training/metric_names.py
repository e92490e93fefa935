"""The names of the metrics of AT-GRPO's trainings."""

from collections.abc import Collection, Iterator

from workers.core.training.metrics import OF_POLICIES, OF_STEPS, MetricSpec, Unit

AGENTS = {
    "proposer": "the proposer",
    "planner": "the planner",
    "reasoner": "the reasoner",
    "tool_user": "the tool user",
    "coder": "the coder",
    "tester": "the tester",
}
POLICIES = {"shared": "", **{name: f", {title}" for name, title in AGENTS.items()}}

TURNS = range(1, 5)
"""The turns whose metrics have titles: the paper's. Later ones go by their names."""
GAME = {
    "goal": "reaching the goal",
    "shortest": "the shortest way",
    "solved": "a solved board",
    "progress": "progress",
    "steps": "steps",
    "blocked": "blocked moves",
    "boxes_on": "boxes on targets",
    "boxes_off": "boxes off targets",
    "invalid": "invalid answers",
}
PARTS = {
    "proposer": GAME,
    "planner": GAME,
    "reasoner": {"right": "right answers", "format": "answers in the right form"},
    "tool_user": {
        "right": "right answers",
        "build": "programs that are Python",
        "run": "programs that run",
    },
    "coder": {
        "tests": "golden tests that pass",
        "build": "programs that are Python",
        "smoke": "programs that load",
    },
    "tester": {
        "tests": "golden tests that pass",
        "valid": "messages with tests",
        "reference": "tests that a right program passes",
    },
}
"""Parts of each agent's rewards, as `workers.core.environments` names them."""


def _of_turns(
    what: str,
    title: str,
    unit: Unit = "",
    help: str = "",  # as in MetricSpec
    agents: Collection[str] = AGENTS,
) -> Iterator[MetricSpec]:
    """`title` has a place for the agent's."""
    for name in agents:
        for turn in TURNS:
            told = f"{title.format(AGENTS[name])}, turn {turn}"
            yield MetricSpec(f"{what}_{name}_turn_{turn}", told, unit, help)


METRICS = (
    MetricSpec("solved", "Episodes solved by the best branches", "share"),
    MetricSpec("held_out_accuracy", "Held-out episodes solved", "share", "One answer per agent."),
    MetricSpec("reward", "Reward", help="Mean over all branches of all agents (Eq. 3)."),
    MetricSpec("turns", "Turns of an episode"),
    MetricSpec("held_out_turns", "Turns of held-out episodes"),
    *(MetricSpec(f"reward_{name}", f"Reward of {title}") for name, title in AGENTS.items()),
    *_of_turns("reward", "Reward of {}"),
    *_of_turns(
        "solved",
        "Solving answers of {}",
        "share",
        "After which the episode is solved. Of all branches, not only the best.",
    ),
    *(
        MetricSpec(f"part_{part}_{name}", f"Reward of {AGENTS[name]} for {words}")
        for name, parts in PARTS.items()
        for part, words in parts.items()
    ),
    *(
        spec
        for name, parts in PARTS.items()
        for part, words in parts.items()
        for spec in _of_turns(f"part_{part}", f"Reward of {{}} for {words}", agents=[name])
    ),
    *(
        MetricSpec(
            f"flat_{name}",
            f"Groups of {title} with equal rewards",
            "share",
            "They teach nothing: each advantage is 0.",
        )
        for name, title in AGENTS.items()
    ),
    *(
        MetricSpec(f"cut_{name}", f"Answers of {title} cut at the limit", "share")
        for name, title in AGENTS.items()
    ),
    *_of_turns("flat", "Groups of {} with equal rewards", "share"),
    *_of_turns("cut", "Answers of {} cut at the limit", "share"),
    *_of_turns(
        "entropy",
        "Entropy per token of {}",
        help="In nats, estimated by the tokens that were sampled: the mean of −log π.",
    ),
    *_of_turns(
        "kl",
        "KL divergence of {} from the start",
        help="Nats per token, estimated (k3) by some of the answers.",
    ),
    *_of_turns(
        "mismatch",
        "Difference of sampler and trainer for {}",
        help="Mean difference of the log-probabilities of a token, of some of the answers.",
    ),
    *(
        MetricSpec(
            f"repeated_{name}",
            f"Repetition in answers of {title}",
            "share",
            "Of an answer's runs of 4 tokens, those that it has said before. Near 1 with a "
            "collapsed policy.",
        )
        for name, title in AGENTS.items()
    ),
    *(
        MetricSpec(f"{one.name}_{policy}", f"{one.title}{of}", one.unit, one.help)
        for one in OF_POLICIES
        for policy, of in POLICIES.items()
    ),
    *OF_STEPS,
)
