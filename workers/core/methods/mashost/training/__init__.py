"""Training of MasHost: HRPO with JPSS (arXiv 2506.08507, §4.2), as published and as ours.

    sampling under the old policy      systems.py, deciding.py
    r_G, r_M, A_G, Â  (Eq. 4 to 6)     workers.core.rl.{rewards,advantages}, credit.py
    J  (Eq. 7)                         workers.core.rl.objective, learner.py
    n_r rounds, steps, resumption      learner.py, loop.py, state.py

The preset `paper` is literal where the paper is not silent: L = 4, n_r = 4, T_E = 3, α = 0.1,
β = 1e-4 (for GSM8K; `paper-not-gsm8k` has the 1e-5 of its other benchmarks), γ = 0.9, ε = 0.1,
answers at temperature 0, Eq. 3 as it stands, each group divided by its own deviation. Where it is
silent, both start from our network with its prior (`prior_weight: 0` takes that about roles away)
and see our state. Read so where it is unclear:
 1. σ of Eq. 4 is the standard deviation, not the variance.
 2. Training draws; “the role with the highest probability” is for inference.
 3. O_t, what the system says after action t, is asked of the summary agent, as its last answer is.
 4. The tokens of a system are those of all its calls, also where a cached answer made one free: a
    reward must not depend on what was asked before.
 5. A system that spends its budget, or in which nobody speaks, is wrong.

The preset `studio` changes, each with fields of the config and so to be taken back alone (what is a
constant: how fast the entropy bonus of 10 follows, and between which limits):
 6. `normalise: batch`. Divided by its own deviation, a group in which all are right counts a
    difference of a few tokens as much as being right, and votes for the single cheapest agent.
 7. `jpss: off`. With K roles p starts near 1/K, and edges drawn from p · sigmoid are hardly ever
    drawn; drawn from the sigmoid they are, and both policies still share one ratio.
 8. `action_term: false`. Eq. 5 has no baseline: e^{−t} pays whatever comes late in a right system,
    and systems grow to the limit.
 9. `baseline: value`. A learned value of each state instead of the group's mean for the whole
    system, with the trace λ (`trace`); `centre_luck` takes from all systems of a query what they
    have in common, which is what the group's mean did.
    With `value_count` a state is worth what its query's other systems earned that came to the same
    state, and its learned value counts as one of them: who is right on a query is luck that all
    those share who read him, and no learned value can know it.
10. `entropy_start`, `entropy_end`: the entropy bonus follows a schedule of the entropy to keep, and
    ends well above certainty. What is seldom drawn grows by as much as it is drawn: a role that
    pays only beside another needs to be common still when that other comes.
11. `lag: 1`: the next sample begins before this one is learned from: the endpoint goes on working.
    Its actions count by how likely they are for the policy of now, and the ratio of Eq. 7 is to
    that policy: to the one that sampled, half of every update would be clipped away.
12. L = 48, ε = 0.2, three rounds of six minibatches, a learning rate of 6e-4 that falls to a tenth
    after 60% of the steps (`learning_rate_hold`).
13. `final_answer: agent`, `answer_from: agent`. At EXIT the newest agent that has an answer speaks,
    so a system is worth what its last agent made of it, and one agent alone costs one call; so does
    O_t. Whoever should sum up is a role like others.
14. `average: 0.9`. A checkpoint holds the mean of the last steps' weights: those of one step alone
    swing, and whole domains with them.
15. `prior_weight: 0.5`. From the untrained policy's own beliefs training settles on the best team
    that resembles them: a role that they hardly ever choose first (on the testbed a planner, 6%
    of the systems) is gone before the roles after it have learned what to make of it.
16. `redraws: 2`. A system that its group already has is drawn anew. A policy that grows sure would
    otherwise sample one system again and again, which tells nothing new, least of all from cached
    answers, while a better one that it seldom tries is not heard. What was drawn again counts for
    the system that it repeats (`count_draws`): counted once each, the many systems that differ from
    the best by an agent who does nothing would crowd it out.
17. `weigh: action`. With 1/|M_i| of Eq. 7 an action that makes a system longer counts for less than
    one that ends it: of two actions with the same advantage the policy learns the shorter way.
18. `gradient_limit: 1`, `importance_limit: 2`. The gradient's norm is limited, and so is the weight
    by which an action of an older policy counts (11).
19. `max_agents: 8`, where ten steps of the paper leave room for nine and EXIT.
20. `explore: 0.25`. A quarter of a query's systems follow another of them up to one of its actions,
    draw that one from π^0.3 (`explore_power`) and go on as the policy does. The explored action
    counts in full, what was done before it not at all, and what a group earns on average is what
    its policy earns. A role that is worth something only beside another is otherwise hardly ever
    drawn once the policy is fairly sure of its second best team, and that team stays.

Both presets, where the paper contradicts itself or says less than it seems to:
21. Algorithm 1 samples a group, acts, rewards and updates at every construction step, and its EXIT
    leaves the loop before any reward. §4.2 samples whole systems from s_0 under the old policy and
    then learns. Here as in §4.2: EXIT is an action of a system like all others, with a reward.
22. n_r, “training rounds” (§6.6), is read as rounds over one sample: updates with the same systems,
    between which the ratio of Eq. 7 leaves 1. It may also be passes over the training data.
23. Eq. 5 has no case for two different wrong answers in a row: its last two ask for O_t = O_{t−1}.
    Here wrong stays wrong, whatever is said; and O_0, no answer, is wrong.
24. §4.2 calls O_{t−1} what the system says after a_t. That would leave the last action without an
    effect; here O_t is what it says after a_t.
25. |M_i| of Eq. 6 and 7 is the number of actions, DELETE and EXIT among them, not of agents.
26. The paper calls β and α such that β·Tokens and α·(t − T_E) stay within [0, 1]. Here both are
    clipped to that: a system may cost more tokens than 1/β.
27. One β for all tasks of a training. The paper has 1e-4 for GSM8K and 1e-5 for MBPP and all
    others; `studio` has 1e-4 everywhere, and trainings of GSM8K and MBPP together price both alike
    (docs/log/2026-11-22-small-model-trainings.md says at what).
28. The edges' part of the ratio leaves out silent agents, since no agent could read them. The
    product of Eq. 7 goes over all.
29. A step learns from several queries (`queries_per_step`); Algorithm 1 has one.
30. Figures are of one training, or of the number of seeds beside them; the paper averages five.
31. With `feedback_edges` the ratio also has a factor for every edge back that was decided. What an
    agent revised counts for the action that sent back to it. The paper has no such factor.

The testbed (`bench/testbed.py`) has `studio` with a procedure of its own: L = 96, a network of 64
units and one layer, and two trainings on the same queries, of whose points the one counts that
earned most on these queries. What a single training ends with stands beside it.
"""
