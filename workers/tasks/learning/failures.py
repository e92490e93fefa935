"""Why a training stopped, for people. Each problem can be fixed, then the training resumed."""

from pydantic import ValidationError

from apps.checkpoints.folders import DISK_FULL, NotPublished
from workers.core.checkpoints import CheckpointError
from workers.core.errors import Failure, MethodError
from workers.core.llm.types import LLMError


def failure_of(error: BaseException) -> Failure:
    """The failure; `internal_error` for an unforeseen error. Its details go to the log, not to the
    browser: they may contain a query or a path."""
    return _foreseen(error) or Failure(
        code="internal_error",
        message=f"An error in the studio stopped the training ({type(error).__name__}).",
        remedy="Resume it to try again. The worker's log has the details.",
    )


def _foreseen(error: BaseException) -> Failure | None:
    if isinstance(error, BaseExceptionGroup):
        causes = (_foreseen(cause) for cause in error.exceptions)
        return next((cause for cause in causes if cause is not None), None)
    if isinstance(error, NotPublished):
        return error.failure
    if isinstance(error, MethodError | LLMError):
        remedy = error.remedy or "Fix the problem, then resume the training."
        return Failure(code=_slug(error.code), message=error.message, remedy=remedy)
    if isinstance(error, CheckpointError):
        code = f"checkpoint_{_slug(error.code)}"
        return Failure(code=code, message=error.message, remedy="Then resume the training.")
    if isinstance(error, OSError):
        return _from_system(error)
    return _unreadable(error) if isinstance(error, ValidationError) else None


def _unreadable(error: ValidationError) -> Failure:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"]))
    return Failure(
        code="unreadable_training",
        message=f"This version can't read the stored training: {where}: {first['msg']}",
        remedy="Start a new training.",
    )


def _from_system(error: OSError) -> Failure:
    if error.errno in DISK_FULL:
        return Failure(
            code="disk_full",
            message="The disk is full, so the training could not be saved.",
            remedy=(
                "Free some space, for example by deleting checkpoints, then resume. Nothing is "
                "lost."
            ),
        )
    return Failure(
        code="system_error",
        message=f"The system reported an error: {error.strerror or type(error).__name__}.",
        remedy="Fix the problem, then resume. Nothing is lost.",
    )


def _slug(code: str) -> str:
    return code.replace(".", "_").lower()
