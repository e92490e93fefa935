"""Teams of agents that are written as a script (MetaAgent-X, arXiv 2605.14212).

    from workflow import agent, ensemble, deliver

    solvers = [agent(f"Solver {n}", "Solve the problem step by step.") for n in range(3)]
    deliver(ensemble(solvers, by="majority"))

A **block** is a value. Calling it asks it: `block(*messages)`. Its agents read the question and
these messages (also texts, also lists of both). The result is a **message** with `.text`, `.answer`
(what was read as its answer, or None) and `.name`; as text it is its `.text`. `deliver(x)` ends the
script. `x` is a block, which is asked with the question alone, a message, or a text: that is the
answer. A script that ends without it has failed. `question` may be imported, too.

| block | in short |
| --- | --- |
| `agent(name, prompt, tools=(), temperature=0.0, turns=None)` | one agent speaks once |
| `ensemble(members, by="majority", weights=None, judge=None, rounds=2)` | all answer; `by` picks |
| `reflection(worker, critic, rounds=2)` | the worker revises until the critic agrees |
| `debate(debaters, judge=None, rounds=2)` | all answer, read each other and answer again |
| `router(by, routes={"label": block}, otherwise=None)` | `by` says which route answers |
| `sequence(*blocks)` | each reads the message before it |
| `conditional(test, then, otherwise=None)` | the test picks who speaks |
| `loop(body, until, most=3)` | the body speaks again until the test holds |
| `graph({"a": block}, edges=[("a", "b")], output=None)` | each reads those before it |

`test` and `until` are a function of a message or a block, whose verdict is read. Members may be any
blocks. What each block means exactly stands in `blocks.py`, at its constructor.

`blocks.py` runs in three places: in the sandbox as the module `workflow`, in the studio for teams
that are data, and beside an exported script as `workflow.py`. `reading.py` finds the script in a
reply, `checking.py` says whether it may run, `meaning.py` what team it means, `session.py` plays it
(`inside.py` is what the sandbox runs), `exporting.py` makes it run elsewhere.
"""
