"""Checks the breakpoints of a run that a person leads."""

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext as _

from apps.common.errors import ApplicationError, FieldError
from apps.runs.requests import RunRequest
from apps.setups.drawn import DESIGN
from apps.setups.plan import SetUpPlan
from workers.core.specs import AgentId


def control_errors(request: RunRequest, graph: dict[str, Any] | None) -> list[FieldError]:
    """Errors of the breakpoints in a request. `graph` is the graph that it runs."""
    if not request.breakpoints and not request.step:
        return []
    if request.method != DESIGN:
        message = _(
            "Only the method “%(design)s” stops before an agent. Choose this method, or leave "
            "this field out."
        ) % {"design": DESIGN}
        return [FieldError("breakpoints" if request.breakpoints else "step", "no_design", message)]
    known = {node["id"] for node in (graph or {}).get("nodes", ())}
    return [] if graph is None else breakpoint_errors(request.breakpoints, known)


def leadable_check(request: RunRequest, plan: SetUpPlan) -> None:
    """Raises ApplicationError if a person is to lead the run of a script."""
    if plan.method != DESIGN and (request.breakpoints or request.step):
        field = "breakpoints" if request.breakpoints else "step"
        message = _(
            "This design is a script. Only a drawing stops before an agent. Turn it into a "
            "drawing, or leave this field out."
        )
        raise ApplicationError.of_fields([FieldError(field, "is_script", message)])


def breakpoint_errors(breakpoints: Iterable[AgentId], known: set[AgentId]) -> list[FieldError]:
    if unknown := sorted(set(breakpoints) - known):
        message = _("The graph has no agent %(agents)s.") % {"agents": ", ".join(unknown[:5])}
        return [FieldError("breakpoints", "unknown_agent", message)]
    return []
