"""ReSo: a query becomes a graph of subtasks, and a database of agents knows whom to ask each.

Source: *ReSo: A Reward-driven Self-organizing LLM-based Multi-Agent System for Reasoning Tasks*,
EMNLP 2025. Section numbers are the paper's.

    f_task: Q → (V, E)                                  planner.py (§3.2)
    agents: static and dynamic profiles                 core/agents/database.py (§3.3)
    UCB(a, v) = sim(a, v) · perform(a) + exploration    core/agents/scoring.py, index.py (§3.3)
    r(a, v) = CRM(a, v, a(v)), the best answer          rewards.py, model_reward.py, choosing.py
    level by level                                      solving.py
    answers along the edges                             asking.py, benchmarks/answer_names.py (§3.2)
    R, C, n ← a reward                                  training/

Deviations and choices where the paper is silent:
 1. An agent is a role of the pool on an endpoint. Agents of one role share its embedding: what a
    model can do is learned from rewards, not read from its name.
 2. ⟨q, e⟩ and V_th depend on who embeds. all-MiniLM-L6-v2, which the studio has, puts a
    word problem and the role that suits it best at 0.30 in the median, so that the published 0.4
    closes the gate for 94% of them and nothing that was learned counts. Default here: 0.2.
 3. √(N / (n + ε)) grows with all choices as fast as with an agent's own, so that shares of the
    choices stay as they are and regret is linear (`bench regret`). Default as in the paper; the
    preset `studio` takes the published code's logarithm.
 4. Before anybody was chosen all scores are equal: the most similar agent is asked first.
 5. Runs explore no more (`exploration_weight: 0`), and of k candidates the answer of most counts.
 6. A subtask whose answers nobody can judge (a reward model that gives no number, a planner's
    subtask without a known answer) is voted on and goes on; nothing is learned from it. Nor is
    anything from an agent that its endpoint failed, and who needs what it left out is not asked.
 7. C(a) is in dollars, by the endpoint's prices also where a kept answer was free. Where an
    endpoint has no prices it is 0, and R(a) decides alone.
 8. Where a subtask names an answer that it needs and that is a number, the number is put in its
    place, sums in brackets are worked out, and its reader hears the question and the answer, not
    how it was found. With whole messages, named by roles, a model of 0.5 billion parameters solved
    2 to 5% of the subtasks that depend on others (docs/log/2026-11-25-reso-compositional.md).
 9. Rewards of a step count from the next one on, in a fixed order: the same answers give the same
    database, whoever is answered first. `queries_per_step: 1` is the published code's way.
10. The published code also weighs similarity (0.6) and reputation (2.0). The paper's product has no
    such weights, and neither has the preset `published`.
11. That code counts a query as solved where every subtask is right, too. Here `accuracy` is of the
    query's own answer, as everywhere in the studio, and `solved` is told beside it.
12. A neural CRM that judges steps, as the published one does, is told the subtask as the problem
    and the paragraphs of the answer as its steps; r is what it says of the last one, neither the
    least nor the product of all. The published code puts one mark behind the whole chat; here one
    ends each step, as these models were trained (tuning/steps.py).
13. n(a) of §3.3.2 is the number of times an agent was selected. Here only selections that were
    judged count, in n(a) and so in N: one mean, R(a), is of as many answers as n(a) says. An agent
    whose endpoint fails is therefore explored as before.
14. The published code's k is 1, with which the fine search of §3.3.3 chooses among one. The preset
    `paper` takes 3, `published` 1, and the default is 2.
15. f_task of §3.2 is a tuned model. The default planner, `own`, takes the data set's own task graph
    where there is one and asks no model; a model is tuned by the preset `planner`.
16. The second condition of a right answer (§3.1, dependencies that hold) is not judged: only
    answers are compared, never a planner's edges with the data set's.
17. The subtask's “target profile” of §3.3.1 is its text; an agent's static profile is embedded as
    its role's name, description and capabilities, without prompt, memory, tools or base model.
18. CRM is to know the profile, the subtask and the previous reasoning. The rule knows the right
    answer alone; a judge and a reward model are told the answers before, not how they were found.
19. In training nothing is asked after a level in which a subtask was not solved, as in the
    published code: the paper's text has no such stop.
20. A level's subtasks are searched at the same time with the same statistics; the paper's decision
    tree goes from subtask to subtask.
"""
