"""Turns a team that has run into a design that does the same again.

The graph says who reads whom. The method's plan says how the agents sampled and whether they voted.
So an unchanged design asks the same prompts with the same seeds and gives the same answer. If that
is not possible, `departures` says so.
"""

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
    """`answered`: the agent that gave the last answer."""
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
    """Why the design may ask or answer differently from the run it comes from."""
    if _plan(method, options, GraphSpec()) is None:
        yield _departure(
            "unknown_options",
            "This version of the studio can't read how the agents of the original run sampled. "
            "In this design they use temperature 0.",
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
        remedy="If this matters, run the method itself.",
    )


def _as_drawn(config: DesignConfig) -> DesignSpec:
    return design_of(
        config.graph,
        answer_from=config.answer_from,
        summary=config.summary,
        plan=config.plan(),
    )


def _plan(method: str, options: Options, graph: GraphSpec) -> Plan | None:
    """None: the options are from another version. An unknown method samples at 0."""
    one = METHODS.get(method)
    try:
        return one.plan(options, graph) if isinstance(one, SamplesByPlan) else Plan()
    except ValidationError:
        return None
