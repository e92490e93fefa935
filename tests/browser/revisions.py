"""A run with feedback edges: a critic sends its message back to a solver, who revises."""

from __future__ import annotations

from workers.core.events import (
    ActionProbability,
    AgentFinished,
    AgentStarted,
    BackProbability,
    EdgeProbability,
    EdgesSampled,
    Event,
    IntermediateAnswer,
    NodeSampled,
    RevisionAsked,
    RunFinished,
    RunStarted,
)
from workers.core.mas.record import RunRecord
from workers.core.specs import PoolSpec, RoleSpec, Usage

QUERY = "A baker sells 14 loaves at $3 and 5 cakes at $12. How much is that?"
FIRST_AT = 1_760_000_000.0
USED = Usage(prompt_tokens=90, completion_tokens=30, cost=0.0001)
ROLES = {
    "solver": RoleSpec(
        key="solver", name="Solver", family="mathematics", description="Solves.", prompt="Solve."
    ),
    "critic": RoleSpec(
        key="critic", name="Critic", family="verification", description="Checks.", prompt="Check."
    ),
}
POOL = PoolSpec(key="two", name="Two", roles=tuple(ROLES.values()))


def sent_back() -> list[Event]:
    """Events of the whole run, a second apart."""
    told: list[Event] = [
        RunStarted(method="mashost", query=QUERY, seed=7, endpoint="stub", model="stub"),
        *_added(1, "a1", "solver"),
        *_spoke("a1", "solver", "The loaves bring $42.\nAnswer: 42"),
        IntermediateAnswer(step=1, answer="42", agent_id="a1"),
        *_added(2, "a2", "critic", reads=0.93, back=0.71),
        *_spoke("a2", "critic", "The cakes are missing.", "a1"),
        RevisionAsked(
            step=2, agent_id="a1-2", revises="a1", sender="a2", reads=("a1", "a2"), round=2
        ),
        *_spoke("a1-2", "solver", "With the cakes it is $102.\nAnswer: 102", "a1", "a2"),
        IntermediateAnswer(step=2, answer="102", agent_id="a1-2"),
        _sampled(3, "exit", "EXIT", None),
        IntermediateAnswer(step=3, answer="102", agent_id="a1-2"),
    ]
    record = RunRecord(POOL)
    for event in told:
        record.take(event)
    end = RunFinished(
        answer="102",
        message="With the cakes it is $102.\nAnswer: 102",
        graph=record.graph,
        usage=record.usage(),
        seconds=9.0,
    )
    return [
        event.model_copy(update={"at": FIRST_AT + second})
        for second, event in enumerate([*told, end])
    ]


def _sampled(step: int, kind: str, choice: str, agent_id: str | None) -> NodeSampled:
    actions = [*ROLES, "DELETE", "EXIT"]
    return NodeSampled.model_validate(
        {
            "step": step,
            "candidates": [
                ActionProbability(action=action, probability=0.7 if action == choice else 0.1)
                for action in actions
            ],
            "kind": kind,
            "choice": choice,
            "log_probability": -0.36,
            "greedy": True,
            "agent_id": agent_id,
        }
    )


def _added(
    step: int, agent_id: str, role: str, *, reads: float | None = None, back: float | None = None
) -> list[Event]:
    read = () if reads is None else (EdgeProbability(source="a1", probability=reads, chosen=True),)
    sent = () if back is None else (BackProbability(target="a1", probability=back, chosen=True),)
    return [
        _sampled(step, "add", role, agent_id),
        EdgesSampled(step=step, agent_id=agent_id, candidates=read, log_probability=0, back=sent),
    ]


def _spoke(agent_id: str, key: str, message: str, *reads: str) -> list[Event]:
    role = ROLES[key]
    answer = message.partition("Answer: ")[2] or None
    return [
        AgentStarted(
            agent_id=agent_id,
            role_key=role.key,
            role_name=role.name,
            family=role.family,
            reads=reads,
            endpoint="stub",
            prompt=({"role": "user", "content": QUERY},),
        ),
        AgentFinished(agent_id=agent_id, message=message, answer=answer, usage=USED, seconds=1.0),
    ]
