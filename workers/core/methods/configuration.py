"""A run's `method_config` as the method's own pydantic model."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from workers.core.errors import MethodError

C = TypeVar("C", bound=BaseModel)


def read_config(schema: type[C], values: dict[str, Any]) -> C:
    """The validated options; MethodError `invalid_config` names the first one that is wrong."""
    try:
        return schema.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "method_config"
        raise MethodError(
            code="invalid_config",
            message=f"The method's option “{where}” is not valid: {first['msg']}.",
            remedy=f"Known options: {', '.join(schema.model_fields) or 'none'}.",
        ) from error
