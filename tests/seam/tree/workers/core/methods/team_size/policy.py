"""How many solvers to ask, by what was learned, and the team of that size."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workers.core.checkpoints import load_arrays
from workers.core.events import Event, SizeDrawn
from workers.core.mas.context import MethodContext
from workers.core.methods.planned import run_planned
from workers.core.methods.plans import Plan, samples
from workers.core.specs import AgentNode, GraphSpec, RoleSpec, TaskSpec

KEY = "team_size"
SIZES = 3
SOLVER = RoleSpec(
    key="team-size-solver",
    name="Solver",
    family="baseline",
    description="Solves the question.",
    prompt="Solve the question step by step.",
)
Logits = NDArray[np.float64]
"""(SIZES,)"""


def probabilities(logits: Logits) -> Logits:
    exponents = np.exp(logits - logits.max())
    return exponents / exponents.sum()


def logits_in(checkpoint: Path | None) -> Logits:
    """Zeros without a checkpoint. Raises CheckpointError."""
    if checkpoint is None:
        return np.zeros(SIZES)
    return load_arrays(checkpoint, method=KEY)[1]["logits"].astype(np.float64)


async def solved(
    task: TaskSpec, context: MethodContext, logits: Logits, size: int
) -> AsyncGenerator[Event]:
    """A team of this size, whose policy had these logits."""
    yield SizeDrawn(size=size, probabilities=tuple(probabilities(logits).tolist()))
    ids = tuple(f"a{number}" for number in range(1, size + 1))
    graph = GraphSpec(nodes=tuple(AgentNode(id=each, role=SOLVER) for each in ids))
    plan = Plan(sampling=samples(ids, 0.7), voters=ids)
    events = run_planned(graph, query=task.query, context=context, summary=False, plan=plan)
    async with aclosing(events):
        async for event in events:
            yield event
