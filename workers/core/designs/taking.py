"""A system that has run as a design that does the same again.

A graph says who reads whom. How the agents sampled and whether they voted says the method's plan,
so that a design that nobody has changed asks the same prompts with the same seeds and gives the
same answer. Where that cannot be, `departures` says so.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import ValidationError

from workers.core.designs.problems import Problem
from workers.core.designs.spec import DesignSpec, design_of
from workers.core.mas.summary import SUMMARY_ID
from workers.core.methods.base import DepartsAsDesign, Options, SamplesByPlan
from workers.core.methods.design import DesignConfig
from workers.core.methods.plans import Plan
from workers.core.methods.registry import METHODS
from workers.core.specs import AnswerForm, GraphSpec

DESIGN = "design"


def taken_over(
    graph: GraphSpec, *, method: str, options: Options, answered: str | None
) -> DesignSpec:
    """`answered`: the agent whose answer was the last one given."""
    if method == DESIGN:
        return _as_drawn(DesignConfig.model_validate(options))
    present = {node.id for node in graph.nodes}
    plan = _plan(method, options, graph)
    return design_of(
        graph,
        answer_from=answered if answered in present else None,
        summary=answered == SUMMARY_ID,
        plan=plan if plan and present.issuperset(plan.voters) else None,
    )


def departures(
    *, method: str, options: Options, answer_form: AnswerForm, answer: str | None
) -> Iterator[Problem]:
    """Why a design that was taken over may ask or answer otherwise than what ran did."""
    if _plan(method, options, GraphSpec()) is None:
        yield _departure(
            "unknown_options",
            "How the agents of the run that this was taken from sampled, this version of the "
            "studio cannot tell: here they do at temperature 0.",
        )
    one = METHODS.get(method)
    if isinstance(one, DepartsAsDesign):
        for each in one.departures(options, answer_form, answer):
            yield _departure(each.code, each.message)


def _departure(code: str, message: str) -> Problem:
    return Problem(
        severity="warning",
        code=code,
        message=message,
        remedy="Where that matters, run the method itself.",
    )


def _as_drawn(config: DesignConfig) -> DesignSpec:
    return design_of(
        config.graph,
        answer_from=config.answer_from,
        summary=config.summary,
        plan=config.plan(),
    )


def _plan(method: str, options: Options, graph: GraphSpec) -> Plan | None:
    """None: the options are of another version. A method that is not here samples at 0."""
    one = METHODS.get(method)
    try:
        return one.plan(options, graph) if isinstance(one, SamplesByPlan) else Plan()
    except ValidationError:
        return None
