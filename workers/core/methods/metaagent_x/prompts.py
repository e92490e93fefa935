"""What the designer reads. What the agents of its script read: `performing.py`.

The full form tells the language. A small model gets examples alone: it copies what it is shown.
"""

from collections.abc import Mapping, Sequence

from workers.core.events.scripts import ScriptProblem
from workers.core.fit import fit_tokens, shorten
from workers.core.llm.types import ChatMessage
from workers.core.scripts.problems import told
from workers.core.specs import AnswerForm

LEAST_QUESTION = 256
"""Tokens that the full form must leave for the question. Where it can't, the short form is sent."""
QUOTED_CHARS = 4_000
"""Of a reply that is shown to the designer again."""

USES: Mapping[str, str] = {
    "calculator": "exact arithmetic",
    "python": "runs programs and reads what they print",
    "program": "writes one Python program, which is run; what it prints is the answer",
    "web_search": "searches the web",
    "read_page": "reads a web page or document by its address",
    "read_file": "reads the files that come with the question",
    "browser": "opens pages, clicks and types",
}

LANGUAGE = """\
You design a team of agents that answers a question. You do not answer it yourself: you write the \
team as a short Python script. Every agent reads the question by itself.

The script may use these blocks and nothing else:
- agent(name, prompt, tools=[], temperature=0.0): one agent. The prompt says what it does.
- ensemble(members, by="majority"): all answer, and the most frequent answer counts. \
by="consensus": they read each other until they agree. by="judge", judge=agent(…): a judge reads \
all and answers.
- reflection(worker, critic, rounds=2): the critic checks the worker's answer; while it finds a \
mistake, the worker corrects it.
- debate(debaters, judge=None, rounds=2): all answer, read each other and answer again.
- router(by, {"label": block, …}): the agent `by` chooses the label whose block answers.
- sequence(a, b, …): each reads what the one before it wrote.
- conditional(test, then, otherwise), loop(body, until, most=3): the tests are agents that check, \
or functions of the message, such as lambda said: "yes" in said.text.
- graph({"a": block, "b": block}, edges=[("a", "b")]): b reads what a wrote.
Blocks may hold blocks. block(message, …) asks it and gives its message, with .text and .answer. \
deliver(block or message) ends the script: that is the answer.
Variables, if, for, def and f-strings work as in Python. There is nothing to import but \
`workflow`, which also has the text of the `question`.
"""

RULES = """\
- Use as few agents as the question needs. For an easy one, one agent is enough. At most {calls} \
calls.
- At temperature 0 agents with the same prompt write the same. Voters need temperature=0.7 or \
different prompts.
- {ending}
- Reply with the script in one ```python block, and nothing else."""

ENDINGS: Mapping[AnswerForm, str] = {
    "text": "Agents are told how to write down their answer. Leave that out of the prompts.",
    "code": "The answer is a program. Agents are told to answer with a whole program. Leave that "
    "out of the prompts.",
}

SINGLE = """\
from workflow import agent, deliver

solver = agent("Solver", "Solve the problem step by step.")
deliver(solver)"""
"""The last line stands for itself: a whole team in it was written again and again by a small model
in 6 of 120 replies."""
VOTE = """\
from workflow import agent, deliver, ensemble

solvers = [agent(f"Solver {n}", "Solve the problem step by step.", temperature=0.7) for n in \
range(3)]
deliver(ensemble(solvers, by="majority"))"""
CHECKED = """\
from workflow import agent, deliver, reflection

solver = agent("Solver", "Solve the problem step by step.", tools=["{tool}"])
critic = agent("Critic", "Check every step of the solution. Name the first mistake.")
deliver(reflection(solver, critic, rounds=2))"""
SMALL_CHECKED = """\
from workflow import agent, deliver, reflection

worker = agent("Worker", "Solve the problem step by step.")
critic = agent("Critic", "Check every step of the answer.")
deliver(reflection(worker, critic))"""
EXAMPLE_TOOLS = ("python", "calculator", "program")
"""The first one that there is stands in the example."""

SMALL = """\
Question:
{question}

Do not answer the question and do not compute anything: a team of agents will. You choose the \
team. It is one of these scripts.

1. For an easy question, one agent:
```python
{single}
```

2. For a question with several steps, three agents that vote:
```python
{vote}
```

3. For a question with traps, a worker and a critic:
```python
{checked}
```

Which team fits the question? Write its script again, and nothing else, in one ```python block."""

REPAIR = """\
That script can't be used:
{problems}
Write the whole script again, corrected, in one ```python block and nothing else."""


def designer_messages(
    query: str,
    *,
    tools: Sequence[str],
    max_calls: int,
    answer_form: AnswerForm = "text",
    room_tokens: int,
    small_model: bool = False,
) -> tuple[ChatMessage, ...]:
    """System and user message, together within about `room_tokens` tokens.

    The short form has no tools; it is also sent where the full one would not leave room for the
    question.
    """
    full = _full(tools, max_calls, answer_form)
    left = room_tokens - fit_tokens(full)
    if small_model or left < LEAST_QUESTION:
        texts = {"single": SINGLE, "vote": VOTE, "checked": SMALL_CHECKED}
        room = room_tokens - fit_tokens(SMALL.format(**texts, question=""))
        asked = SMALL.format(**texts, question=shorten(query, max(room, 64)))
        return ChatMessage("system", ""), ChatMessage("user", asked)
    return ChatMessage("system", full), ChatMessage("user", f"Question:\n{shorten(query, left)}")


def repair_messages(
    asked: Sequence[ChatMessage], reply: str, problems: Sequence[ScriptProblem]
) -> tuple[ChatMessage, ...]:
    """The same with the reply and what is wrong with its script."""
    listed = "\n".join(f"- {told(problem)}" for problem in problems)
    return (
        *asked,
        ChatMessage("assistant", reply[:QUOTED_CHARS] or "(nothing)"),
        ChatMessage("user", REPAIR.format(problems=listed)),
    )


def _full(tools: Sequence[str], max_calls: int, answer_form: AnswerForm) -> str:
    listed = "\n".join(f"- {key}: {USES[key]}" for key in tools)
    offered = f"Tools of agents, by name:\n{listed}\n" if tools else "There are no tools.\n"
    tool = next((key for key in EXAMPLE_TOOLS if key in tools), None)
    checked = CHECKED.replace("{tool}", tool) if tool else SMALL_CHECKED
    examples = "\n\n".join(f"```python\n{each}\n```" for each in (SINGLE, VOTE, checked))
    rules = RULES.format(calls=max_calls, ending=ENDINGS[answer_form])
    return f"{LANGUAGE}\n{offered}\nThree different teams:\n{examples}\n\n{rules}"
