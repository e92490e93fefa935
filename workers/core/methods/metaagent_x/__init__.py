"""MetaAgent-X: a designer writes the team for each question as a script, and its agents play it.

Source: *MetaAgent-X*, arXiv 2605.14212. “Published” is its code.

    the script's blocks and what each means         core/scripts/blocks.py
    a script is found, checked and understood       core/scripts/reading.py, checking.py, meaning.py
    a script is played, in the sandbox              core/scripts/session.py
    what the designer reads                         prompts.py
    the designer writes, and corrects               designing.py
    the script's calls as agents of the run         performing.py
    two roles, one or two policies                  models.py, training/
    N designs × M executions: rewards, advantages   core/rl/hierarchical.py
    N × M executions, sampled together              training/rollouts.py
    which role learns, stage by stage               training/schedule.py, choosing.py
    the training, with a cold start before it       training/loop.py

Deviations and choices where the paper is silent:
 1. A script is parsed and checked against a list of what it may do, and drawn, before it runs. It
    runs in the sandbox and reaches agents and tools over one narrow channel. The published code
    runs scripts as a plain process with the host's rights and environment.
 2. A script whose team no reply changes is played without a process: its blocks are data.
 3. A script that can't be used goes back to the designer once, with what is wrong and where
    (`repairs`). Then the run fails with the first problem.
 4. The critic of a reflection ends with a line “Verdict: correct” or “Verdict: incorrect”, which is
    read as a whole word. The published test takes “INCORRECT” for “CORRECT”.
 5. Blocks that do not read each other are asked side by side.
 6. An agent that only checks or routes is asked for its verdict or route, not for an answer. It
    writes words, even if the task wants a program.
 7. Agents of the script sample at the temperature that the script gives them. Each call has a seed
    of its own, which depends on its place in the script, and on no agent's pace.
 8. All agents of a script, and the designer if the settings name no endpoint for it, ask the run's
    endpoint. A checkpoint has a model for each of the two roles, which may be the same.
 9. The answer of a text that the script wrote itself is read like that of a message; it is no
    agent's.
10. A small model gets three example scripts instead of the language: it copies what it is shown. A
    prompt that asks for steps asks for them again at its end.

Of the training:
11. A design that can't be used is worth 0 and is not corrected. The executor gets nothing from it,
    nor from an execution that ended by the script's own fault. Where all agents failed, it has 0.
12. While training, everyone samples at temperature 1, whatever a script says: another temperature
    would be another policy. Held-out tasks are answered as in a run.
13. A group of one, or of equal rewards, has advantage 0.
14. A right answer is worth 1. The published parts for delivery and form are settings, 0 by default.
    A cost of calls may be taken from the designer's reward, never below 0.
15. Each role's loss is a mean over its own replies, and the two are added where both learn.
16. With `freeze` “rates” and one model, the inactive role's gradient has the share that its rate
    would have. With a model for each role, its learning rate has it.
17. The cold start shows right runs of the studio, whatever model they asked, in this training's own
    prompts. The published one shows traces of one large model.
18. Agents have the tool `program` alone: their program is run once. Others need several turns.
"""
