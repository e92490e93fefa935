"""EvoMAS: a task is solved stage by stage, and each stage has a workflow chosen for its state.

Source: *EvoMAS: Learning Execution-Time Workflows for Multi-Agent Systems*, arXiv 2605.08769.
Sections and equations are the paper's.

    s̃, μ(τ, s̃, G, ξ) (Eq. 7)                        state.py
    planner, evaluator (Eq. 18 to 20, B, C)          planner.py, evaluator.py
    the agents of the pool (C.4, Table 4)            agents.py, core/pools/evomas.yaml
    h, α, p (Eq. 10, 11, 21 to 27)                   adapter.py
    the draw and its probability (Eq. 12, 28, 29)    core/rl/subsets.py
    log P(G | s̃) (Eq. 14)                            adapter.py
    V, E (Eq. 8, 9)                                  workflow.py
    Algorithm 1                                      solving.py
    what is known after a stage, from events         memory.py
    REINFORCE (Eq. 15 to 17)                         core/rl/reinforce.py, training/learner.py

Deviations and choices where the paper is silent:
 1. The state tokens X are the sentence embeddings of two texts: the active subtask with its status;
    how it went so far (roles tried in vain, feedback, hint, progress). The paper names no encoder.
    With a token for each line of the state, the one token of the earlier layers hardly changes the
    mean of Eq. 26, and all layers learn the same. The task and the last result are left out: what
    was learned about their words did not carry over to other tasks.
 2. E is the set of orthonormal rows nearest to the embeddings of the agents' texts. Those have
    cosines up to 0.8, so the scores of Eq. 10 could hardly prefer one of two similar agents.
 3. A training's attention has eight heads of 32 dimensions (`heads`, `width`); Eq. 24 and 25 show
    one, as the preset `paper` has. With one head a token reaches h through as many weights as
    there are agents, so seven agents tell at most seven kinds of states apart.
    W_Q and W_K begin as small noise, W_V as the identity, shortened along Early-exit: an untrained
    adapter takes all agents about equally often and draws Early-exit with 2%. W_V learns with a
    tenth of the others' rate: with half of it, short trainings end in one workflow for all.
    The paper names no T, λ, ρ and learning rate. Here: 6, 0.1, 0.6 and 6e-3, found on the testbed
    (`bench evomas`). With ρ up to 0.5 a layer of two agents, each with half of the probability,
    would end after the first.
 4. Runs take the likeliest agents until their mass is ρ. `greedy: false` draws, as training does.
    Without a trained adapter ρ is 0.3: two of seven agents that are equally likely, not four.
 5. Early-exit ends the workflow after its layer: agents chosen beside it still work. If it leaves
    nobody to work, the task ends, too. Algorithm 1 ends the task wherever Early-exit is chosen:
    `exit_ends: task`, the preset `paper`. Drawn agents choose it in most first stages, and a task
    that ends there teaches little.
 6. The planner is asked at the start and after each stage without success; after a success the next
    open subtask is active (§3.1). `planner: always` asks it before every stage.
 7. The paper has three statuses in Eq. 19 and four in C.1. These are the four. The planner
    proposes; the updater decides: done subtasks stay, and nothing is DONE before the evaluator
    says so.
 8. The evaluator's three verdicts come from one reply, not from a binary reward. A reply without a
    verdict is repaired once, then it counts as “refine”. The published final-judgement tool is the
    answer line; research and analysis are the tools `web_search`, `read_page`, `python` and
    `calculator`.
 9. An Ensemble that reads one solution passes it on, and one in the first layer is left out: there
    is nothing to compare. A letter that no solution has leaves the most frequent answer.
10. The agents that a role pool of the request names replace the built-in ones. The adapter serves
    any pool; roles named `early_exit` and `ensemble` play their parts there, too. A layer has at
    most seven agents (`layer_agents`): of 45 untrained ones ρ would take fourteen.
11. The answer is read from the final state by one more agent (“and/or ξ”, Algorithm 1), which may
    compute: it has `python` and `calculator`. A task that is its only subtask needs none.
12. Process reward: a success earns its confidence, other verdicts 0. A stage's return is U(τ) plus
    `process_reward` times the mean of these from there on, over T.
13. By default a stage is judged by the progress that it made: with V, the mean return of stages
    with as many open subtasks and stages left, its advantage is V after it less V before it, and
    a share `trace` of what later stages gained (generalised advantage estimation). The paper has
    neither (`baseline: none`). The mean of the task's other rollouts and a moving mean are
    settings, too.
14. Returns of tasks whose endpoint failed or whose time ran out are left out: they say nothing
    about workflows.
15. Multi-generate writes its candidates in one reply at temperature 0, so equal workflows get equal
    answers and kept answers count.
16. A small model plans once, without marks of status, and its evaluator replies with one word and
    has no tools. Shown the paper's forms it copies them (`core/mas/small_models.py`). Its
    default limit of one reply is 512 tokens, in which its programs end.
17. Without state construction (`state: false`, §4.3) one stage works on the whole task: nothing
    would tell a second one from the first.
18. No stage begins if the run's time left is less than twice what the slowest one took. The answer
    is read from the state as it is.
19. As in C.4, no agent of the pools runs code: the published helper for it is in neither pool. File
    reading, another helper there, is a tool of Web-search. Web-browser may search, too.
20. The single agent of the comparison (`single_agent`) has the tools of the candidates, the
    evaluator and the final agent together.
21. An agent uses tools up to 4 times, with the browser up to 12 times (`tool_rounds`,
    `browser_rounds`). The paper names a tool-call budget (§4.1) without its size.
"""
