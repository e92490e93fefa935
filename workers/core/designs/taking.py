"""A system that has run as a design that does the same again.

A graph says who reads whom. How the agents sampled and whether they voted says the method's plan,
so that a design that nobody has changed asks the same prompts with the same seeds and gives the
same answer. Where that cannot be, `departures` says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from workers.core.designs.problems import Problem
from workers.core.designs.spec import DesignSpec, design_of
from workers.core.mas.summary import SUMMARY_ID
from workers.core.methods import cascade, debate, self_consistency
from workers.core.methods.cascade import CascadeConfig
from workers.core.methods.debate import DebateConfig
from workers.core.methods.design import DesignConfig
from workers.core.methods.mashost.config import MasHostConfig
from workers.core.methods.plans import AgentSampling, Plan
from workers.core.methods.self_consistency import SelfConsistencyConfig
from workers.core.specs import AnswerForm, GraphSpec

DESIGN = "design"
Options = Mapping[str, Any]


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
    if method == "self_refine" and (answer_form == "code" or answer is None):
        yield _departure(
            "feedback_as_answer",
            "Self-refine takes feedback for a verdict in words and never for the answer; an agent "
            "of a design is asked for an answer like every other one.",
        )
    if method == "mashost" and _sums_up_revisions(options):
        yield _departure(
            "revisions_and_first_messages",
            "MasHost's summary agent reads only the last version of a message that was revised. "
            "The summary agent of a design also reads the versions before it.",
        )
    if method == "reso":
        yield _departure(
            "subtasks_as_one_question",
            "ReSo asks each agent its subtask; the agents of a design are all asked the whole "
            "question, and of several agents of one subtask nobody chooses.",
        )


def _sums_up_revisions(options: Options) -> bool:
    known = {name: value for name, value in options.items() if name in MasHostConfig.model_fields}
    try:
        config = MasHostConfig.model_validate(known)
    except ValidationError:
        return False
    return config.feedback_edges and config.final_answer == "summary"


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
    try:
        return PLANS[method](options, graph) if method in PLANS else Plan()
    except ValidationError:
        return None


def _of_cascade(options: Options, graph: GraphSpec) -> Plan:
    """Of the agents that were asked: an answer ends a cascade early."""
    sampling = cascade.plan_of(CascadeConfig.model_validate(options)).sampling
    asked = {node.id for node in graph.nodes}
    return Plan(sampling={key: each for key, each in sampling.items() if key in asked})


def _of_self_consistency(options: Options, graph: GraphSpec) -> Plan:
    return self_consistency.plan_of(SelfConsistencyConfig.model_validate(options))


def _of_debate(options: Options, graph: GraphSpec) -> Plan:
    return debate.plan_of(DebateConfig.model_validate(options))


def _of_mashost(options: Options, graph: GraphSpec) -> Plan:
    """Every agent samples with the run's own seed, and the summary agent, too."""
    known = {name: value for name, value in options.items() if name in MasHostConfig.model_fields}
    temperature = MasHostConfig.model_validate(known).temperature
    if temperature == 0:
        return Plan()
    sampling = AgentSampling(temperature=temperature)
    return Plan(
        sampling={node.id: sampling for node in graph.nodes}, summary_temperature=temperature
    )


PLANS: dict[str, Callable[[Options, GraphSpec], Plan]] = {
    "cascade": _of_cascade,
    "self_consistency": _of_self_consistency,
    "debate": _of_debate,
    "mashost": _of_mashost,
}
