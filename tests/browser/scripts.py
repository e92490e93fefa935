"""Runs of a team that a script describes, made up in the order in which MetaAgent-X tells them.

The page's unit tests fold what this prints: `python -m tests.browser.scripts NAME`.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from workers.core.errors import Failure
from workers.core.events import (
    AgentFailed,
    AgentFinished,
    AgentStarted,
    BlockCalled,
    Event,
    GraphPlanned,
    IntermediateAnswer,
    RunFailed,
    RunFinished,
    RunStarted,
    ScriptEnded,
    ScriptProblem,
    ScriptRead,
)
from workers.core.mas.tests.support import role
from workers.core.scripts.meaning import meaning_of
from workers.core.specs import AgentNode, Edge, GraphSpec, Usage

QUERY = (
    "A farmer shares 84 eggs equally among 7 baskets and sells 3 baskets. How many eggs are left?"
)
ANSWER = "48"
FIRST_AT = 1_760_000_000.0
USED = Usage(prompt_tokens=180, completion_tokens=60, cost=0.002)
DESIGNER = role("designer", name="Designer", family="designer")

UNUSABLE = """\
import os
from workflow import agent, deliver, ensemble

solvers = [agent(f"Solver {n}", "Solve it step by step.") for n in range(3)]
print(open("notes.txt").read())
deliver(ensemble(solvers, by="majority"))
"""
SCRIPT = """\
from workflow import agent, deliver, ensemble, reflection

# Three solvers vote, then a critic reads the result.
solvers = [
    agent(f"Solver {n}", "Solve the problem step by step.", tools=["calculator"], temperature=0.7)
    for n in range(1, 4)
]
vote = ensemble(solvers, by="majority")
critic = agent("Critic", "Look for a mistake in the solution. Say what is wrong with it.")
said = reflection(vote, critic, rounds=2)()

if said.answer is None:
    expert = agent("Expert", "Solve the problem from scratch, and trust nobody.")
    said = expert(said)
print("The team says", said.answer)
deliver(said)
"""
TOOLS = ("calculator", "python")
MEANT = meaning_of(SCRIPT, tools=TOOLS)


def problems_of(script: str) -> tuple[ScriptProblem, ...]:
    return meaning_of(script, tools=TOOLS).problems


@dataclass
class Telling:
    """The events so far; the graph grows with each agent."""

    events: list[Event] = field(default_factory=list)
    graph: GraphSpec = field(default_factory=GraphSpec)

    def starts(self) -> None:
        self.events.append(
            RunStarted(
                method="metaagent_x",
                query=QUERY,
                seed=0,
                endpoint="stub",
                model="stub",
                pool=None,
                pool_version=None,
                checkpoint=None,
                trained=None,
            )
        )

    def writes(self, agent: str, script: str, reads: Sequence[str] = ()) -> None:
        node = AgentNode(id=agent, role=DESIGNER)
        self.graph = GraphSpec(
            nodes=(*self.graph.nodes, node),
            edges=(*self.graph.edges, *(Edge(source=each, target=agent) for each in reads)),
        )
        self.events.append(GraphPlanned(graph=self.graph))
        self.began(node, reads)
        self.said(agent, f"Three solvers should vote.\n\n```python\n{script}```\nThat is all.")

    def reads(
        self,
        script: str,
        problems: Sequence[ScriptProblem] = (),
        agent: str | None = None,
        attempt: int = 1,
    ) -> None:
        self.events.append(
            ScriptRead(
                origin="given" if agent is None else "model",
                agent_id=agent,
                attempt=attempt,
                script=script,
                problems=tuple(problems),
                drawing=None if problems else MEANT.drawing,
                shape="" if problems else MEANT.shape,
            )
        )

    def calls(
        self, number: int, block: str, lines: Sequence[int], reads: Sequence[str] = ()
    ) -> AgentNode:
        """An agent of the drawing is asked, and starts."""
        drawing = MEANT.drawing
        assert drawing is not None
        drawn = next(each for each in drawing.blocks if each.name == block)
        key = drawn.name.lower().replace(" ", "_")
        node = AgentNode(id=f"a{number}", role=role(key, name=drawn.name, family="executor"))
        called = BlockCalled(
            node=node,
            reads=tuple(reads),
            block=drawn.id,
            line=drawn.line,
            lines=tuple(lines),
            call=number,
        )
        self.graph = called.grown(self.graph, {})
        self.events.append(called)
        self.began(node, reads)
        return node

    def began(self, node: AgentNode, reads: Sequence[str]) -> None:
        self.events.append(
            AgentStarted(
                agent_id=node.id,
                role_key=node.role.key,
                role_name=node.role.name,
                family=node.role.family,
                reads=tuple(reads),
                endpoint="stub",
                prompt=({"role": "user", "content": QUERY},),
            )
        )

    def said(self, agent: str, message: str, answer: str | None = None) -> None:
        self.events.append(
            AgentFinished(agent_id=agent, message=message, answer=answer, usage=USED, seconds=1.0)
        )

    def told(self) -> list[Event]:
        return [
            event.model_copy(update={"at": FIRST_AT + place / 4})
            for place, event in enumerate(self.events)
        ]


def voted(telling: Telling) -> None:
    """The three solvers answer, one of them wrongly, and the critic agrees in its second round."""
    solvers = [telling.calls(n, f"Solver {n}", (10, 8, 10)) for n in range(1, 4)]
    for node, answer in zip(solvers, ("48", "84", "48"), strict=True):
        telling.said(
            node.id,
            f"Each basket holds 12 eggs, and so {answer} are left.\nAnswer: {answer}",
            answer,
        )
    telling.calls(4, "Critic", (10, 10), ["a1"])
    telling.said("a4", "4 baskets are left, each with 12 eggs.\nVerdict: correct")


def delivered() -> list[Event]:
    """A first script with three problems, a second one that delivers an answer."""
    telling = Telling()
    telling.starts()
    telling.writes("designer", UNUSABLE)
    telling.reads(UNUSABLE, problems_of(UNUSABLE), "designer")
    telling.writes("designer-2", SCRIPT, ("designer",))
    telling.reads(SCRIPT, (), "designer-2", attempt=2)
    voted(telling)
    telling.events += [
        ScriptEnded(ending="delivered", calls=4, seconds=0.8, printed="The team says 48\n"),
        IntermediateAnswer(step=1, answer=ANSWER, agent_id="a1"),
        RunFinished(
            answer=ANSWER,
            message="Each basket holds 12 eggs, and so 48 are left.\nAnswer: 48",
            graph=telling.graph,
            usage=USED,
            seconds=6.0,
        ),
    ]
    return telling.told()


def given() -> list[Event]:
    """A script that the settings give; an agent fails, and the script with it."""
    telling = Telling()
    telling.starts()
    telling.reads(SCRIPT)
    telling.calls(1, "Solver 1", (10, 8, 10))
    gone = Failure(code="endpoint", message="The endpoint is away.", remedy="Start the server.")
    telling.events.append(AgentFailed(agent_id="a1", failure=gone, usage=USED, seconds=1.0))
    problem = ScriptProblem(
        code="error",
        message="The script failed: list index out of range.",
        remedy="Check the length of the list first.",
        line=10,
    )
    telling.events += [
        ScriptEnded(ending="failed", calls=1, seconds=0.3, problem=problem),
        RunFailed(
            failure=Failure(code="script", message=problem.message, remedy=problem.remedy),
            usage=USED,
            seconds=2.0,
        ),
    ]
    return telling.told()


def largest() -> list[Event]:
    """64 agents in nested frames, long names, and a script of many long lines."""
    telling = Telling()
    telling.starts()
    lines = ["from workflow import agent, deliver, ensemble, sequence"]
    prompt = "Read every river of the list, and name its source with the page that says so. " * 2
    for team in range(1, 9):
        reader = f'agent(f"Very careful reader {{n}} of rivers", "{prompt}")'
        lines.append(f'team_{team} = ensemble([{reader} for n in range(8)], by="majority")')
    lines.append("deliver(sequence(" + ", ".join(f"team_{n}" for n in range(1, 9)) + "))")
    script = "\n".join(lines)
    meant = meaning_of(script)
    telling.events += [
        ScriptRead(
            origin="given",
            script=script,
            drawing=meant.drawing,
            shape=meant.shape,
        ),
        ScriptEnded(
            ending="limit",
            calls=0,
            seconds=3.0,
            problem=ScriptProblem(
                code="calls",
                message="The script asked for more than 64 calls.",
                remedy="Ask fewer agents, or raise the limit.",
            ),
        ),
        RunFailed(
            failure=Failure(
                code="script",
                message="The script asked for more than 64 calls.",
                remedy="Ask fewer agents, or raise the limit.",
            ),
            usage=USED,
            seconds=3.0,
        ),
    ]
    return telling.told()


def main(name: str) -> None:
    """As frames of the page's stream."""
    events = {"delivered": delivered, "given": given, "largest": largest}[name]()
    frames = [
        {
            "type": "trace",
            "run": name,
            "attempt": 1,
            "seq": seq,
            "id": f"1.{seq}",
            "event": event.model_dump(mode="json"),
        }
        for seq, event in enumerate(events, start=1)
    ]
    print(json.dumps(frames))


if __name__ == "__main__":
    main(sys.argv[1])
