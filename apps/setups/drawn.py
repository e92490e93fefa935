"""From the design that a run names to the method that runs it: a drawing, or a script."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from apps.common.errors import FieldError
from apps.designs.models import Design, DesignVersion
from apps.designs.selectors import design_problems, version_spec
from apps.setups.wanted import SetUpWanted
from workers.core.designs.spec import (
    DRAWING_METHOD,
    SCRIPT_METHOD,
    DesignSpec,
    setup_of,
)

DESIGN = DRAWING_METHOD
"""The method that runs a drawing. With a design that is a script it stands for the method of
scripts."""
TOLD = 5


@dataclass(frozen=True, slots=True)
class DrawnPlan:
    """`config` is the method's config. `version` None: the draft as it is now."""

    design: Design
    version: int | None
    method: str
    config: dict[str, Any]


def drawn_plan(request: SetUpWanted, errors: list[FieldError]) -> DrawnPlan | None:
    """None, with the errors in `errors`, or if the run names no design."""
    if request.design is None:
        if request.method == DESIGN and "graph" not in request.method_config:
            errors.append(FieldError("design", "no_design", _("Name the design to run.")))
        elif request.design_version is not None:
            message = _("The version belongs to a design. Name the design as well.")
            errors.append(FieldError("design_version", "no_design", message))
        return None
    if request.method not in (DESIGN, SCRIPT_METHOD):
        message = _(
            "Only the method “%(design)s” runs a design. Choose this method, or leave the design "
            "out."
        ) % {"design": DESIGN}
        errors.append(FieldError("design", "other_method", message))
        return None
    design = Design.objects.filter(id=request.design).first()
    if design is None:
        message = _("There is no such design. It may have been deleted.")
        errors.append(FieldError("design", "unknown_design", message))
        return None
    spec = _wanted(design, request.design_version, errors)
    if spec is None or _broken(spec, errors):
        return None
    method, config = setup_of(spec)
    if request.method == SCRIPT_METHOD != method:
        message = _(
            "This design is a drawing. Choose the method “%(design)s”, or turn the design into a "
            "script."
        ) % {"design": DESIGN}
        errors.append(FieldError("method", "is_drawing", message))
        return None
    return DrawnPlan(design, request.design_version, method, config)


def _wanted(design: Design, version: int | None, errors: list[FieldError]) -> DesignSpec | None:
    try:
        return version_spec(design, version)
    except DesignVersion.DoesNotExist:
        numbers = design.versions.values_list("number", flat=True)[:20]
        message = _("“%(name)s” has no version %(version)s. %(choice)s") % {
            "name": design.name,
            "version": version,
            "choice": _choice(numbers),
        }
        errors.append(FieldError("design_version", "unknown_version", message))
        return None


def _choice(numbers: Iterable[int]) -> str:
    known = ", ".join(map(str, numbers))
    return (
        _("Use one of: %(known)s.") % {"known": known}
        if known
        else _("It has no versions yet. Leave the version out.")
    )


def _broken(spec: DesignSpec, errors: list[FieldError]) -> bool:
    found = [problem for problem in design_problems(spec) if problem.severity == "error"]
    errors += [FieldError("design", problem.code, problem.placed) for problem in found[:TOLD]]
    return bool(found)
