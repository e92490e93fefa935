"""Training of MasHost: HRPO with JPSS (arXiv 2506.08507, §4.2), as published and as ours.

    sampling under the old policy      systems.py, deciding.py
    r_G, r_M, A_G, Â  (Eq. 4 to 6)     workers.core.rl.{rewards,advantages}, credit.py
    J  (Eq. 7)                         workers.core.rl.objective, learner.py
    n_r rounds, steps, resumption      learner.py, loop.py, state.py

The preset `paper` follows the paper literally where the paper says something: L = 4, n_r = 4,
T_E = 3, α = 0.1, β = 1e-4 (for GSM8K; `paper-not-gsm8k` has the 1e-5 of its other benchmarks),
γ = 0.9, ε = 0.1, answers at temperature 0, Eq. 3 unchanged, each group divided by its own
deviation. Where it is silent, both presets start from our network with its prior
(`prior_weight: 0` removes the part about roles) and see our state. Unclear points are read like
this:
 1. σ of Eq. 4 is the standard deviation, not the variance.
 2. Training draws; “the role with the highest probability” is for inference.
 3. O_t, the system's answer after action t, comes from the summary agent, like its last answer.
 4. The tokens of a system are those of all its calls, even if a cached answer made one free: a
    reward must not depend on earlier calls.
 5. A system that spends its budget, or in which no agent speaks, is wrong.

The preset `studio` changes the following. Each change has fields in the config, so it can be taken
back alone (only the speed and the limits of the entropy bonus in 10 are constants):
 6. `normalise: batch`. If a group in which all are right is divided by its own deviation, a
    difference of a few tokens counts as much as being right, and the single cheapest agent wins.
 7. `jpss: off`. With K roles p starts near 1/K, so p · sigmoid hardly ever draws an edge. The
    sigmoid alone does, and both policies still share one ratio.
 8. `action_term: false`. Eq. 5 has no baseline: e^{−t} rewards any late action in a right system,
    so systems grow to the limit.
 9. `baseline: value`. A learned value of each state replaces the group's mean for the whole system,
    with the trace λ (`trace`). `centre_luck` subtracts what all systems of a query have in common,
    as the group's mean did.
    With `value_count` a state's value is what its query's other systems earned from the same state,
    and the learned value counts as one of them. Which agent is right on a query is luck that all
    its readers share, and no learned value can know it.
10. `entropy_start`, `entropy_end`: the entropy bonus follows a schedule of the entropy to keep,
    which ends well above certainty. A seldom drawn action is seldom reinforced. A role that pays
    only beside another role must still be common when that other role is learned.
11. `lag: 1`: the next sample starts before this one is learned from, so the endpoint stays busy.
    Its actions are weighted by their probability under the current policy, and the ratio of Eq. 7
    is relative to that policy. Relative to the sampling policy, half of every update would be
    clipped away.
12. L = 48, ε = 0.2, three rounds of six minibatches, a learning rate of 6e-4 that falls to a tenth
    after 60% of the steps (`learning_rate_hold`).
13. `final_answer: agent`, `answer_from: agent`. At EXIT the newest agent with an answer gives it,
    so a system is worth what its last agent made of it, and a single agent costs one call. O_t is
    read the same way. An agent that sums up is a role like others.
14. `average: 0.9`. A checkpoint has the mean of the last steps' weights. The weights of single
    steps swing, and whole domains with them.
15. `prior_weight: 0.5`. With the full prior, training settles on the best team that resembles it. A
    role that the prior hardly ever chooses first (on the testbed a planner, in 6% of the systems)
    disappears before later roles have learned to use it.
16. `redraws: 2`. A system that its group already has is drawn again. Otherwise a policy that
    becomes certain samples the same system many times, which shows nothing new, above all with
    cached answers, while a better, rarer system is missed. A repeated draw counts for the system
    that it repeats (`count_draws`). If each counted once, the many systems that differ from the
    best only by a useless agent would dominate it.
17. `weigh: action`. With 1/|M_i| of Eq. 7 an action that makes a system longer counts less than one
    that ends it. So of two actions with the same advantage the policy learns the shorter way.
18. `gradient_limit: 1`, `importance_limit: 2`. The gradient's norm is limited, and so is the weight
    of an action of an older policy (11).
19. `max_agents: 8`. The paper's ten steps leave room for nine agents and EXIT.
20. `explore: 0.25`. A quarter of a query's systems follow another one up to one of its actions,
    draw that action from π^0.3 (`explore_power`) and then continue like the policy. The explored
    action counts in full, earlier actions not at all, and the group's mean reward is that of the
    policy alone. Otherwise a role that helps only beside another is hardly ever drawn once the
    policy is fairly certain of its second best team, and that team stays.

Choices of both presets where the paper contradicts itself or is less clear than it seems:
21. Algorithm 1 samples a group, acts, rewards and updates at every construction step, and its EXIT
    leaves the loop before any reward. §4.2 samples whole systems from s_0 under the old policy and
    then learns. Here it is as in §4.2: EXIT is an action like all others, with a reward.
22. n_r, “training rounds” (§6.6), is read as rounds over one sample: updates with the same systems,
    between which the ratio of Eq. 7 moves away from 1. It could also mean passes over the training
    data.
23. Eq. 5 has no case for two different wrong answers in a row: its last two need O_t = O_{t−1}.
    Here any wrong answer after a wrong one counts as staying wrong, and O_0, no answer, is wrong.
24. In §4.2, O_{t−1} is the system's answer after a_t. The last action would then have no effect.
    Here O_t is the answer after a_t.
25. |M_i| of Eq. 6 and 7 is the number of actions, including DELETE and EXIT, not of agents.
26. In the paper β and α keep β·Tokens and α·(t − T_E) within [0, 1]. Here both are clipped to that
    range: a system may cost more tokens than 1/β.
27. All tasks of a training have the same β. The paper has 1e-4 for GSM8K and 1e-5 for MBPP and all
    others. `studio` has 1e-4 everywhere, and trainings of GSM8K and MBPP together use one price for
    both (docs/log/2026-11-22-small-model-trainings.md says which).
28. The edges' part of the ratio leaves out silent agents, because no agent could read them. The
    product of Eq. 7 is over all agents.
29. A step learns from several queries (`queries_per_step`); Algorithm 1 has one.
30. Figures are from one training, or from the number of seeds beside them. The paper averages five.
31. With `feedback_edges` the ratio also has a factor for every decided edge back. A revision counts
    for the action that sent back. The paper has no such factor.

The testbed (`bench/testbed.py`) runs `studio` differently: L = 96, a network of 64 units and one
layer, and two trainings on the same queries. Of all their points the one that earned most on these
queries counts. The end of a single training is reported beside it.
"""
