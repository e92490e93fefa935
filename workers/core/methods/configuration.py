"""Reads a run's `method_config` as the method's own pydantic model."""

from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from workers.core.errors import MethodError

C = TypeVar("C", bound=BaseModel)


class NoOptions(BaseModel):
    """No options."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def read_config(schema: type[C], values: dict[str, Any]) -> C:
    """The validated options. MethodError `invalid_config` names the first wrong one."""
    try:
        return schema.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "method_config"
        raise MethodError(
            code="invalid_config",
            message=f"The method's setting “{where}” is not valid: {first['msg']}.",
            remedy=(
                "Correct it. The method's settings are: "
                f"{', '.join(schema.model_fields) or 'none'}."
            ),
        ) from error
