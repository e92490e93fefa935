"""Variations that show what each part of MasHost does: its ablations and sensitivity sweeps.

The ablations are those of the published method (§6.5), the two sweeps those of §6.6. `changes`
takes back each change of the preset `studio` alone. `NOT_ALONE` says why some settings have no row.
"""

from workers.core.methods.base import Sweep

NO_PRIOR = {"prior_weight": 0.0, "edge_prior_weight": 0.0}
"""The policy starts without our prior. What it sees of roles and stages is still our choice."""

ABLATIONS = Sweep(
    preset="paper",
    values={
        "as published": {},
        "no JPSS": {"jpss": "off"},
        "no action reward": {"action_term": False},
        "no group advantage": {"group_term": False},
        "no exemption time": {"exemption_time": 0},
        "no prior about roles": {"prior_weight": 0.0},
        "no prior about edges": {"edge_prior_weight": 0.0},
        "no prior at all": NO_PRIOR,
    },
)
CHANGES = Sweep(
    preset="studio",
    values={
        "as it is": {},
        "divided by group": {"normalise": "group", "baseline": "group"},
        "group baseline": {"baseline": "group"},
        "joint edges": {"jpss": "joint"},
        "action reward": {"action_term": True},
        "fixed entropy bonus": {"entropy_start": None},
        "no entropy bonus": {"entropy_start": None, "entropy_bonus": 0.0},
        "no lag": {"lag": 0},
        "four systems of a query": {"systems_per_query": 4},
        "clipped at 0.1": {"epsilon": 0.1},
        "four rounds": {"rounds": 4},
        "one minibatch": {"minibatches": 1},
        "learning rate of paper": {"learning_rate": 1e-3},
        "learning rate that falls at once": {"learning_rate_hold": 0.0},
        "learning rate that stays": {"learning_rate_end": 1.0},
        "gradient not limited": {"gradient_limit": None},
        "importance not limited": {"importance_limit": None},
        "undiscounted trace": {"trace": 1.0},
        "learned values alone": {"value_count": None},
        "luck not centred": {"centre_luck": False},
        "the newest weights": {"average": 0.0},
        "the prior in full": {"prior_weight": 1.0},
        "no prior about roles": {"prior_weight": 0.0},
        "no prior about edges": {"edge_prior_weight": 0.0},
        "no prior at all": NO_PRIOR,
        "groups with repeats": {"redraws": 0},
        "every system counts once": {"count_draws": False},
        "nobody explores": {"explore": 0.0},
        "weighed by system": {"weigh": "system"},
    },
)
NOT_ALONE = {
    "normalise": "with learned values there is no group to divide by: see “divided by group”",
    "entropy_bonus": "with a schedule it is where the bonus begins: see “no entropy bonus”",
    "answer_from": "as final_answer",
    "final_answer": "a testbed has no summary agent, and a real one costs another call",
    "max_agents": "one agent more or less than the paper's, far from what either learns",
}
"""Settings in which `studio` and `paper` differ but that `changes` does not vary."""

ROUNDS = Sweep(
    preset="studio", values={f"n_r = {rounds}": {"rounds": rounds} for rounds in range(1, 7)}
)
EXEMPTION = Sweep(
    # Only the action-wise reward knows an exemption time, so that reward is on.
    preset="studio",
    values={
        f"T_E = {steps}": {"action_term": True, "exemption_time": steps} for steps in range(1, 6)
    },
)

SWEEPS = {"ablations": ABLATIONS, "changes": CHANGES, "rounds": ROUNDS, "exemption": EXEMPTION}
