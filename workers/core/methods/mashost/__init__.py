"""MasHost: a policy that builds a multi-agent system per query.

Source: *MasHost Builds It All: Autonomous Multi-Agent System Directed by Reinforcement Learning*,
arXiv 2506.08507. Equation and section numbers are the paper's.

    s_t = {Q, M_t, MESSAGE(M_t)}            state.py, encoder.py
    a_n ~ π_θ(· | s_t) over R ∪ {DELETE, EXIT}        masks.py, policy.py
    a_e ~ π_φ(· | s_t, R_t), Eq. 3                    policy.py, construct.py, workers.core.rl.edges
    an agent runs when it is added; the summary agent runs at EXIT         method.py

Deviations and choices where the paper is silent:
 1. “The role with the highest probability” is read as greedy for inference; `greedy: false` draws,
    seeded.
 2. Only the in-edges of a new agent are decided (§4.1), so every graph is acyclic. §5 claims all
    directed graphs; `feedback_edges` builds them (13).
 3. DELETE removes the newest agent present. With in-edges only, the most recently modified agent
    is the most recently added one, and nobody can have read it yet.
 4. Eq. 3 literally (`jpss: joint`) draws almost no edges while p is near 1/K. The default
    `relative` uses p / max p, so that the arg-max role keeps its full sigmoid. Its edges then pass
    no gradient on to π_θ: p / max p is 1 whatever p is. Those of any other role do, in part towards
    the arg-max role. Only `joint` has the two gradients of the paper for every role.
 5. EXIT counts as a step. The last step allows EXIT alone, and the step before it cannot delete the
    only agent, so every construction ends with EXIT and a summary of at least one agent.
 6. `max_agents` bounds the system besides `max_steps`: at the bound only DELETE and EXIT are
    allowed.
 7. The state also knows which roles were deleted and which agents were silent (refused, failed, or
    wrote nothing). Without the first a greedy policy adds again what it has just deleted.
    It knows who has answered, too: a plan is no answer, nor is a program that failed. How far a
    system is depends on the answers it has, not on the agents. And it knows which answers are the
    same, by the rules that votes are counted by: from embeddings, “42” and “43” are alike.
 8. The paper gives no architecture. Ours: MiniLM embeddings of query, role profiles and messages;
    attention over the agents with a bias per kind of edge; bilinear role logits.
 9. Logits are a learned term, zero at the start, plus a prior of few learned numbers (`prior.py`):
    an untrained policy builds a plausible team. It stays labelled untrained. How well a role fits
    the query is there the mean of its profile's cosine and of its nearest phrase's
    (`RoleSpec.phrases`): of 60 questions over twelve domains the first role then fits 55, not 49.
    A checkpoint may have a scope (`scope.py`): for queries unlike its training's the untrained
    policy decides.
10. An edge from a silent agent is masked: there is no message to read.
11. Where the summary agent fails or commits to no answer, the newest agent's answer stands.
12. A construction whose first two agents fail, because the endpoint does not answer, ends the run
    with that cause: the steps after it would fail the same way.
13. With `feedback_edges` a new agent also decides, by π_φ with a head of its own, to which earlier
    agents it sends its message back. Each of these then revises once for it: it reads what it read
    before, its own message and the new one. The paper does not say when an agent speaks again, nor
    which of its messages counts. Here the last one does, for later readers, for the summary and for
    the answer; who had read the one before does not speak again. A run's graph has the revision as
    an agent of the next round, so that it stays acyclic and can be executed and drawn again. DELETE
    takes back what others revised for the deleted agent. Edges back from or to silent agents have
    no effect. Off by default. A policy that was trained without decides them by its prior.
14. §4.1 lets DELETE remove the agent “most recently modified”, Algorithm 1 the “last-added” one.
    They are the same here (3), also with feedback edges: a revision does not count as a change.
15. Eq. 3 writes π_θ: S → R^K and π_φ: p × R × S. Here π_θ has the K + 2 outputs that the text asks
    for, and p is no input of π_φ but what its sigmoid is multiplied with.
16. “The global message pool prevents redundant invocations of the same role” (§6.3): here of the
    same role with the same question and the same messages. One that reads others speaks again.
17. Sampling limits are hard: `max_steps` 10, where the paper says that steps “typically” do not
    exceed 10 (§6.8).
18. “All known applicable roles” (§6.9) are those of the pool that the run names. Models that are
    small are not told of a role's refuse condition (`mas/small_models.py`).
19. Eq. 7 conditions π_θ on the query and the messages alone; §2.2 has the structure in the state,
    and so has ours.
"""
