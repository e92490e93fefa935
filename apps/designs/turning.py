"""Turns drawings into scripts and back, and names line by line what the other form can't say."""

from collections.abc import Callable, Iterable

from apps.common.errors import ApplicationError, FieldError
from workers.core.designs.problems import Problem, problem_of
from workers.core.designs.scripts import StaysScript, design_of_script
from workers.core.designs.spec import DesignSpec
from workers.core.designs.teams import StaysDrawing, changes, script_of_design
from workers.core.scripts.problems import ScriptError


def as_drawing(spec: DesignSpec, *, field: str = "draft") -> DesignSpec:
    """The design itself, or what its script means. Raises ApplicationError."""
    if spec.script is None:
        return spec
    try:
        return design_of_script(spec.script)
    except ScriptError as error:
        raise _refused(map(problem_of, error.problems), field) from error
    except StaysScript as error:
        raise _refused(error.reasons, field) from error


def as_script(spec: DesignSpec, *, field: str = "draft") -> DesignSpec:
    """Raises ApplicationError."""
    if spec.script is not None:
        return spec
    try:
        return DesignSpec(script=script_of_design(spec))
    except StaysDrawing as error:
        raise _refused(error.reasons, field) from error


def _refused(reasons: Iterable[Problem], field: str) -> ApplicationError:
    return ApplicationError.of_fields(
        [FieldError(field, reason.code, reason.placed) for reason in reasons]
    )


TURNS: dict[str, Callable[[DesignSpec], tuple[DesignSpec, list[str]]]] = {
    "script": lambda spec: (as_script(spec), [] if spec.script is not None else changes(spec)),
    "drawing": lambda spec: (as_drawing(spec), []),
}
"""The design, and what it says otherwise."""
