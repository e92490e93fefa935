"""Training of MasHost: HRPO with JPSS (arXiv 2506.08507, §4.2 and §5), as published and as ours.

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

The testbed (`bench/testbed.py`) has `studio` with a procedure of its own: L = 96, a network of 64
units and one layer, and two trainings on the same queries, of whose points the one counts that
earned most on these queries. What a single training ends with stands beside it.
"""
