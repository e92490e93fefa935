"""Diagnoses the trace of an ended run: whether its roles fit, and why its answer is wrong."""

import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass

from workers.core.benchmarks.base import Verifier, VerifierError
from workers.core.benchmarks.registry import VERIFIERS
from workers.core.embed.base import Embedder
from workers.core.evaluation.failures import FailureCategory, agents_of, categorise, verdicts_of
from workers.core.evaluation.rationality import RoleRationality, domain_text, role_rationality
from workers.core.events import Event
from workers.core.specs import RoleSpec, TaskSpec

log = logging.getLogger(__name__)

EVENTS_READ = ("agent_started", "agent_finished", "intermediate_answer")
"""Kinds of events that a diagnosis needs. The trace may lack the others."""

NO_TRACE = FailureCategory(None, "unjudged", "The run's trace is empty or can't be read.")


@dataclass(frozen=True, slots=True)
class Trace:
    """One ended run. `roles`: those that its method chose from a pool; None if it chooses none.
    Only a `wrong` run needs `events`."""

    task: TaskSpec
    roles: tuple[RoleSpec, ...] | None
    wrong: bool
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """`roles` None: the method chooses none. `failure` None: the answer is not wrong."""

    roles: RoleRationality | None
    failure: FailureCategory | None


async def diagnose(
    traces: Sequence[Trace],
    *,
    embedder: Embedder,
    verifiers: Mapping[str, Verifier] = VERIFIERS,
) -> AsyncIterator[Diagnosis]:
    """A diagnosis per trace, in order, one after the other, because a verifier may start a process
    for each.

    All texts are embedded first, in few passes. The embedder remembers them.
    """
    choosing = [trace for trace in traces if trace.roles]
    texts = {domain_text(trace.task.query, trace.task.domain) for trace in choosing}
    texts |= {role.profile() for trace in choosing for role in trace.roles or ()}
    if texts:
        await embedder.embed(sorted(texts))
    for trace in traces:
        yield await _diagnosis(trace, embedder, verifiers)


async def _diagnosis(
    trace: Trace, embedder: Embedder, verifiers: Mapping[str, Verifier]
) -> Diagnosis:
    task, roles = trace.task, None
    if trace.roles is not None:
        roles = await role_rationality(
            trace.roles, query=task.query, domain=task.domain, embedder=embedder
        )
    if not trace.wrong:
        return Diagnosis(roles, None)
    if not trace.events:
        return Diagnosis(roles, NO_TRACE)
    verdicts = await _verdicts(trace, verifiers)
    return Diagnosis(roles, categorise(trace.events, task, verdicts=verdicts, roles=roles))


async def _verdicts(trace: Trace, verifiers: Mapping[str, Verifier]) -> dict[str, bool]:
    """The verdicts on the agents' answers. If no agent reads another, none are needed: no right
    answer can have been lost."""
    verifier = verifiers.get(trace.task.verifier or "")
    if verifier is None or not any(said.reads for said in agents_of(trace.events)):
        return {}
    try:
        return await verdicts_of(trace.events, trace.task, verifier)
    except VerifierError as error:
        log.info("the agents' answers can't be judged: %s", error.message)
        return {}
