"""What went wrong: as data for people, and as the exceptions that carry it."""

from pydantic import BaseModel, ConfigDict

from workers.core.specs import Slug


class Failure(BaseModel):
    """What went wrong and the way out. `code` is stable; the sentences are for people."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: Slug
    message: str
    remedy: str = ""


class CoreError(Exception):
    """An error that names its cause and remedy. `code` is stable."""

    def __init__(self, *, code: str, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.remedy = remedy

    def failure(self) -> Failure:
        return Failure(code=self.code, message=self.message, remedy=self.remedy)


class MethodError(CoreError):
    """The method can't continue. The run or the training fails with this cause and remedy."""


def internal_error(error: Exception) -> Failure:
    """The failure of a run that a bug ended. The details go to the log, not to the browser: they
    may contain a query or a path."""
    return Failure(
        code="internal_error",
        message=f"An error in the studio stopped the run ({type(error).__name__}).",
        remedy="Try again. If it happens again, report it with the worker's log.",
    )
