"""MasHost: a policy that builds a multi-agent system per query.

Source: *MasHost Builds It All: Autonomous Multi-Agent System Directed by Reinforcement Learning*,
arXiv 2506.08507. Equation and section numbers are the paper's.

    s_t = {Q, M_t, MESSAGE(M_t)}            state.py, encoder.py
    a_n ~ π_θ(· | s_t) over R ∪ {DELETE, EXIT}        masks.py, policy.py
    a_e ~ π_φ(· | s_t, R_t), Eq. 3                    policy.py, construct.py, workers.core.rl.edges
    an agent runs when it is added; the summary agent runs at EXIT         method.py

Deviations and choices where the paper is silent:
 1. “The role with the highest probability” is read as greedy for inference. `greedy: false` draws
    with the run's seed.
 2. Only the in-edges of a new agent are decided (§4.1), so every graph is acyclic. §5 claims all
    directed graphs; `feedback_edges` builds them (13).
 3. DELETE removes the newest present agent. With only in-edges, the most recently modified agent is
    the most recently added one, and no agent can have read it yet.
 4. Eq. 3 literally (`jpss: joint`) draws almost no edges while p is near 1/K. The default
    `relative` uses p / max p, so the arg-max role keeps its full sigmoid. Its edges then pass no
    gradient to π_θ, because p / max p is always 1. Edges of other roles do, in part towards the
    arg-max role. Only `joint` has the paper's two gradients for every role.
 5. EXIT counts as a step. The last step allows only EXIT, and the step before it can't delete the
    only agent. So every construction ends with EXIT and a summary of at least one agent.
 6. `max_agents` limits the system besides `max_steps`: at the limit only DELETE and EXIT are
    allowed.
 7. The state also knows which roles were deleted and which agents were silent (refused, failed, or
    wrote nothing). Without the first, a greedy policy adds again what it has just deleted. The
    state also knows which agents have answered: a plan or a failed program is no answer. The
    progress of a system depends on its answers, not on its agents. And it knows which answers are
    the same, by the rules of votes: as embeddings, “42” and “43” are alike.
 8. The paper gives no architecture. Ours: MiniLM embeddings of query, role profiles and messages;
    attention over the agents with a bias per kind of edge; bilinear role logits.
 9. Logits are a learned term, zero at the start, plus a prior of few learned numbers (`prior.py`).
    So an untrained policy builds a plausible team. It stays labelled untrained. A role's fit to the
    query is the mean of its profile's cosine and that of its nearest phrase (`RoleSpec.phrases`):
    of 60 questions over twelve domains the first role then fits 55, instead of 49. A checkpoint may
    have a scope (`scope.py`): for queries unlike its training's the untrained policy decides.
10. An edge from a silent agent is masked: there is no message to read.
11. If the summary agent fails or has no answer, the newest agent's answer counts.
12. If the first two agents fail because the endpoint does not answer, the run ends with that cause:
    later steps would fail the same way.
13. With `feedback_edges` a new agent also decides, by π_φ with a separate head, to which earlier
    agents it sends its message back. Each of these then revises once for it: it reads what it read
    before, its own message and the new one. The paper does not say when an agent speaks again, nor
    which of its messages counts. Here the last one counts, for later readers, for the summary and
    for the answer. Agents that read the earlier message do not speak again. A run's graph has the
    revision as an agent of the next round, so it stays acyclic and can be executed and drawn again.
    DELETE takes back what others revised for the deleted agent. Edges back from or to silent agents
    have no effect. Off by default. A policy trained without them decides them by its prior.
14. In §4.1 DELETE removes the agent “most recently modified”, in Algorithm 1 the “last-added” one.
    Here they are the same (3), also with feedback edges: a revision does not count as a change.
15. Eq. 3 writes π_θ: S → R^K and π_φ: p × R × S. Here π_θ has the K + 2 outputs that the text
    needs, and p is not an input of π_φ but multiplies its sigmoid.
16. “The global message pool prevents redundant invocations of the same role” (§6.3): here this
    means the same role with the same question and the same messages. A role that reads other
    messages speaks again.
17. Sampling limits are hard: `max_steps` is 10. In the paper steps “typically” do not exceed 10
    (§6.8).
18. “All known applicable roles” (§6.9) are those of the run's pool. Small models do not get a
    role's refuse condition (`mas/small_models.py`).
19. Eq. 7 conditions π_θ only on the query and the messages. In §2.2 the state also has the
    structure, and so has ours.
"""
