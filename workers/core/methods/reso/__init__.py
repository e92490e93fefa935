"""ReSo: divides a query into a graph of subtasks and asks the best agents of a database for each.

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
 1. An agent is a role of the pool on an endpoint. Agents of one role share its embedding: a model's
    strengths are learned from rewards, not read from its name.
 2. ⟨q, e⟩ and V_th depend on the embedding model. With the studio's all-MiniLM-L6-v2, the median of
    a word problem and its best role is 0.30. The published 0.4 would close the gate for 94% of
    them, and nothing learned would count. Default here: 0.2.
 3. √(N / (n + ε)) grows as fast with all choices as with an agent's own. So shares of the choices
    don't change, and regret is linear (`bench regret`). Default as in the paper; the preset
    `studio` takes the published code's logarithm.
 4. Before the first choice all scores are equal: the most similar agent is asked first.
 5. Runs don't explore (`exploration_weight: 0`), and of k candidates the answer of most counts.
 6. A subtask whose answers can't be judged (a reward model that gives no number, a planner's
    subtask without a known answer) is voted on, and solving continues; nothing is learned from it.
    Nothing is learned from an agent whose endpoint failed, either, and agents that need its answer
    are not asked.
 7. C(a) is in dollars by the endpoint's prices, even if a kept answer was free. For an endpoint
    without prices it is 0, and R(a) decides alone.
 8. If a subtask names an answer that it needs and that is a number, the number replaces the name,
    and sums in brackets are worked out. Its agent then reads the question and the answer, but not
    the solution. With whole messages, named by roles, a model of 0.5 billion parameters solved 2 to
    5% of the subtasks that depend on others (docs/log/2026-11-25-reso-compositional.md).
 9. Rewards of a step count from the next step on, in a fixed order: the same answers give the same
    database, in any order of arrival. The published code has `queries_per_step: 1`.
10. The published code also weighs similarity (0.6) and reputation (2.0). The paper's product and
    the preset `published` have no such weights.
11. That code counts a query as solved only if every subtask is right, too. Here `accuracy` is that
    of the query's own answer, as everywhere in the studio, and `solved` is a separate metric.
12. A neural CRM that judges steps, like the published one, reads the subtask as the problem and the
    answer's paragraphs as its steps. r is its verdict on the last step, not the least or the
    product of all. The published code puts one mark after the whole chat. Here a mark ends each
    step, as these models were trained (tuning/steps.py).
13. n(a) of §3.3.2 is the number of times an agent was selected. Here only judged selections count
    in n(a) and N, so R(a) is the mean of n(a) answers. An agent whose endpoint fails is therefore
    explored as before.
14. The published code's k is 1, so the fine search of §3.3.3 has one candidate. The preset `paper`
    takes 3, `published` 1, and the default is 2.
15. f_task of §3.2 is a tuned model. The default planner, `own`, takes the dataset's task graph if
    there is one and asks no model. The preset `planner` tunes a model.
16. The second condition of a right answer (§3.1, correct dependencies) is not judged: only answers
    are compared, never a planner's edges with the dataset's.
17. The subtask's “target profile” of §3.3.1 is its text; an agent's static profile is embedded as
    its role's name, description and capabilities, without prompt, memory, tools or base model.
18. In the paper CRM knows the profile, the subtask and the previous reasoning. Here the rule knows
    only the right answer. A judge and a reward model read the earlier answers, but not their
    solutions.
19. In training, solving stops after a level with an unsolved subtask, as in the published code. The
    paper's text has no such stop.
20. A level's subtasks are searched at the same time with the same statistics. The paper's decision
    tree goes from subtask to subtask.
"""
