"""Tries a role of the draft before it is published, in a run of one agent like any other run."""

from apps.accounts.models import User
from apps.roles.models import Role
from apps.runs.models import Run
from apps.runs.requests import RunRequest
from apps.runs.services import run_create
from apps.setups.drawn import DESIGN
from workers.core.specs import AgentNode, Budget, GraphSpec

AGENT = "a1"
MAX_SECONDS = 120.0
"""Short, because a person waits for it."""


def role_try(*, user: User, role: Role, query: str, endpoint: str | None = None) -> Run:
    """A run of the role as it is in the draft, even a disabled one, on an endpoint; None: the
    default. The run takes no pool, so the figures of the pool's roles leave it out.

    Raises ApplicationError like any run.
    """
    graph = GraphSpec(nodes=(AgentNode(id=AGENT, role=role.spec()),))
    request = RunRequest(
        query=query,
        method=DESIGN,
        method_config={"graph": graph.model_dump(mode="json"), "answer_from": AGENT},
        endpoint=endpoint,
        budget=Budget(max_seconds=MAX_SECONDS),
    )
    return run_create(user=user, request=request).row
