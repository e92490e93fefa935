"""What is stored of a run that broke off after a DELETE took revisions back."""

from __future__ import annotations

import json

from workers.core.events import AgentStarted, Failure, NodeSampled, RunFailed
from workers.tasks.outcome import Outcome


def started(agent_id: str, *reads: str) -> AgentStarted:
    return AgentStarted(
        agent_id=agent_id,
        role_key="solver",
        role_name="Solver",
        family="maths",
        endpoint="stub",
        reads=reads,
    )


def test_a_deleted_agent_goes_with_the_revisions_that_it_asked_for() -> None:
    outcome = Outcome("stub")
    for event in (started("a1"), started("a2", "a1"), started("a1-2", "a1", "a2")):
        outcome.take(event)
    outcome.take(
        NodeSampled(
            step=3,
            candidates=(),
            kind="delete",
            choice="DELETE",
            log_probability=0,
            greedy=True,
            agent_id="a2",
        )
    )
    end = outcome.end(RunFailed(failure=Failure(code="down", message="Nobody answers.")))
    row = json.loads(end.row)
    assert [node["id"] for node in row["graph"]["nodes"]] == ["a1"]
    assert row["graph"]["edges"] == []
    assert row["agent_count"] == 1
