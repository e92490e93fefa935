"""From a request to the arms and tasks of an evaluation: fills in defaults and looks up names."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from django.db.models import BigIntegerField, F, Func, QuerySet, Sum, TextField
from django.db.models.functions import Cast
from django.utils.translation import gettext as _

from apps.common.errors import ApplicationError, FieldError
from apps.common.names import name_errors
from apps.designs.models import Design
from apps.evaluations.requests import (
    LABEL_CHARS,
    MAX_ARMS,
    MAX_CELLS,
    MAX_TEXT_BYTES,
    ArmRequest,
    EvaluationRequest,
)
from apps.setups.drawn import DESIGN
from apps.setups.plan import SetUpPlan, set_up_plan
from apps.setups.wanted import SetUpWanted, config_errors
from apps.tasks.choosing import chosen_dataset
from apps.tasks.models import Dataset, Task
from workers.core.benchmarks.limits import MIB
from workers.core.tools.person import PERSON_TOOL


@dataclass(frozen=True, slots=True)
class ArmPlan:
    """`reply_tokens`: the arm's limit for one reply, or its method's default. None: the limit of
    the evaluation's budget."""

    label: str
    run: SetUpPlan
    reply_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    dataset: Dataset
    tasks: Sequence[Task]
    arms: Sequence[ArmPlan]
    reply_tokens: int
    """The limit for one reply, for arms without a limit of their own."""


def evaluation_plan(request: EvaluationRequest) -> EvaluationPlan:
    """Raises ApplicationError that names every wrong field.

    Tasks are counted and measured first and read last, because a split may hold more text than fits
    in memory.
    """
    errors = name_errors(request.name)
    dataset = chosen_dataset(request.dataset, request.split, errors)
    tasks = Task.objects.filter(dataset=dataset, split=request.split).order_by("index")
    there = tasks.count() if dataset else 0
    count = there if request.limit is None else min(there, request.limit)
    arms = _arms(request, errors)
    cells = count * len(request.arms) * request.repeats
    if cells > MAX_CELLS:
        message = _(
            "This makes %(cells)s answers; at most %(at_most)s are allowed. Use fewer tasks or "
            "repeats."
        ) % {"cells": f"{cells:,}", "at_most": f"{MAX_CELLS:,}"}
        errors.append(FieldError("limit", "too_many_cells", message))
    elif (size := _bytes(tasks[:count])) > MAX_TEXT_BYTES:
        message = _(
            "These %(count)s tasks have %(mib)s MiB of text; at most %(at_most)s are allowed. "
            "Use fewer tasks."
        ) % {
            "count": f"{count:,}",
            "mib": f"{size / MIB:,.0f}",
            "at_most": f"{MAX_TEXT_BYTES / MIB:,.0f}",
        }
        errors.append(FieldError("limit", "too_much_text", message))
    if errors or dataset is None:
        raise ApplicationError.of_fields(errors)
    reply_tokens = request.budget.max_completion_tokens_per_call
    return EvaluationPlan(dataset, list(tasks[:count]), arms, reply_tokens)


def _bytes(tasks: QuerySet[Task]) -> int:
    """The size of all text that an evaluation copies from them."""
    texts = (F("query"), F("reference"), Cast("metadata", TextField()))
    query, reference, metadata = (
        Func(text, function="octet_length", output_field=BigIntegerField()) for text in texts
    )
    found = tasks.annotate(size=query + reference + metadata).aggregate(total=Sum("size"))
    return found["total"] or 0


def _arms(asked: EvaluationRequest, errors: list[FieldError]) -> list[ArmPlan]:
    wanted = asked.arms
    if not 0 < len(wanted) <= MAX_ARMS:
        errors.append(
            FieldError(
                "arms", "arms_count", _("Give 1 to %(max_arms)s arms.") % {"max_arms": MAX_ARMS}
            )
        )
        return []
    arms = []
    for index, (arm, label) in enumerate(zip(wanted, _labels(wanted, errors), strict=True)):
        request = SetUpWanted(
            method=arm.method,
            method_config=arm.method_config,
            endpoint=arm.endpoint,
            pool=arm.pool,
            checkpoint=arm.checkpoint,
            design=arm.design,
            design_version=arm.design_version,
            seed=0,
        )
        try:
            plan = set_up_plan(request, config_errors(arm.method_config))
        except ApplicationError as error:
            errors += [replace(f, field=f"arms.{index}.{f.field}") for f in error.fields]
        else:
            if persons := _persons(plan):
                message = _(
                    "In an evaluation no person can answer, but a person answers for %(asked)s. "
                    "Choose another design."
                ) % {"asked": persons}
                errors.append(FieldError(f"arms.{index}.design", "asks_person", message))
            own = arm.max_completion_tokens_per_call or plan.own_reply_tokens(asked.budget)
            arms.append(ArmPlan(label, plan, own))
    return arms


def _persons(plan: SetUpPlan) -> str:
    """Names of the agents of an arm's graph that a person answers for."""
    nodes = plan.method_config.get("graph", {}).get("nodes", ()) if plan.method == DESIGN else ()
    return ", ".join(n["role"]["name"] for n in nodes if PERSON_TOOL in n["role"]["tools"])


def _labels(wanted: Sequence[ArmRequest], errors: list[FieldError]) -> list[str]:
    """Given labels must differ. Other labels are made so: “mashost”, “mashost 2”."""
    taken: set[str] = set()
    for index, arm in enumerate(wanted):
        if arm.label is None:
            continue
        if not arm.label.strip() or len(arm.label) > LABEL_CHARS or not arm.label.isprintable():
            message = _("Use 1 to %(at_most)s printable characters.") % {"at_most": LABEL_CHARS}
            errors.append(FieldError(f"arms.{index}.label", "bad_label", message))
        if arm.label in taken:
            message = _("Two arms have the label “%(label)s”. Give each arm a different label.") % {
                "label": arm.label[:60]
            }
            errors.append(FieldError(f"arms.{index}.label", "label_taken", message))
        taken.add(arm.label)
    asked = {arm.design for arm in wanted if arm.design is not None}
    names = dict(Design.objects.filter(id__in=asked).values_list("id", "name"))
    return [
        arm.label if arm.label is not None else _free(_name(arm, names), taken) for arm in wanted
    ]


def _name(arm: ArmRequest, names: dict[UUID, str]) -> str:
    """An arm of a design gets the design's name: “Three programs v2”."""
    name = names.get(arm.design) if arm.design is not None else None
    if name is None:
        return arm.default_label()
    ending = f" v{arm.design_version}" if arm.design_version is not None else ""
    return name[: LABEL_CHARS - len(ending)] + ending


def _free(name: str, taken: set[str]) -> str:
    label, number = name, 1
    while label in taken:
        number += 1
        ending = f" {number}"
        label = name[: LABEL_CHARS - len(ending)] + ending
    taken.add(label)
    return label
