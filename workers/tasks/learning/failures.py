"""Why a training broke off, for people. All of it can be mended and resumed."""

from __future__ import annotations

from pydantic import ValidationError

from apps.checkpoints.folders import DISK_FULL, NotPublished
from workers.core.checkpoints import CheckpointError
from workers.core.errors import Failure, MethodError
from workers.core.llm.types import LLMError


def failure_of(error: BaseException) -> Failure:
    """`internal_error` for what nobody foresaw. Its details go to the log, not to the browser: they
    may hold a query or a path."""
    return _foreseen(error) or Failure(
        code="internal_error",
        message=f"The training stopped because of a fault in the studio ({type(error).__name__}).",
        remedy="Resume it to try again; the worker's log has the details.",
    )


def _foreseen(error: BaseException) -> Failure | None:
    if isinstance(error, BaseExceptionGroup):
        causes = (_foreseen(cause) for cause in error.exceptions)
        return next((cause for cause in causes if cause is not None), None)
    if isinstance(error, NotPublished):
        return error.failure
    if isinstance(error, MethodError | LLMError):
        remedy = error.remedy or "Mend it, then resume."
        return Failure(code=_slug(error.code), message=error.message, remedy=remedy)
    if isinstance(error, CheckpointError):
        code = f"checkpoint_{_slug(error.code)}"
        return Failure(code=code, message=error.message, remedy="Then resume.")
    if isinstance(error, OSError):
        return _from_system(error)
    return _unreadable(error) if isinstance(error, ValidationError) else None


def _unreadable(error: ValidationError) -> Failure:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"]))
    return Failure(
        code="unreadable_training",
        message=f"The stored training cannot be read by this version: {where}: {first['msg']}",
        remedy="Start a new training.",
    )


def _from_system(error: OSError) -> Failure:
    if error.errno in DISK_FULL:
        return Failure(
            code="disk_full",
            message="The disk is full: the training could not be written.",
            remedy="Make room, for example by deleting checkpoints, then resume: nothing is lost.",
        )
    return Failure(
        code="system_error",
        message=f"The system refused: {error.strerror or type(error).__name__}.",
        remedy="Mend it, then resume: nothing is lost.",
    )


def _slug(code: str) -> str:
    return code.replace(".", "_").lower()
