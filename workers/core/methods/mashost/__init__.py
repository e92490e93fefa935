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
 2. Only the in-edges of a new agent are decided, so every graph is acyclic.
 3. DELETE removes the newest agent present. With in-edges only, the most recently modified agent
    is the most recently added one, and nobody can have read it yet.
 4. Eq. 3 literally (`jpss: joint`) draws almost no edges while p is near 1/K. The default
    `relative` uses p / max p: the same two gradients, and the arg-max role keeps its full sigmoid.
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
13. Revision of earlier agents along feedback edges is not built. The paper neither says when an
    agent speaks again nor which of its answers the later ones read, and a graph with cycles is
    refused everywhere else here; a system that needs a revision adds the role again.
"""
