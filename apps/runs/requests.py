"""What a user asks for, checked as far as the database is not needed."""

from uuid import UUID

from django.utils.translation import gettext as _
from pydantic import Field

from apps.common.errors import FieldError
from apps.common.names import text_errors
from apps.setups.wanted import SetUpWanted, config_errors
from workers.core.specs import QUERY_MAX_CHARS, AgentId, Budget, Spec
from workers.core.tools.attachments import BadFiles, files_checked


class RunRequest(SetUpWanted):
    """The body of `POST /api/runs`: the set-up and the question.

    `verifier` judges by the `reference`. `judged_as` is a run: its reference and verifier, with all
    they need, judge this run, too. `task` is a task of a dataset; the run uses all that the dataset
    knows of it. `files` are attached: name, and text, or content in base64. `uploads` are files,
    too, which the user sent before.
    """

    query: str
    reference: str | None = None
    verifier: str | None = None
    judged_as: UUID | None = None
    task: int | None = None
    files: tuple[dict[str, str], ...] = ()
    uploads: tuple[UUID, ...] = ()
    budget: Budget = Budget()
    breakpoints: tuple[AgentId, ...] = ()
    step: bool = False


class ForkRequest(Spec):
    """The body of `POST /api/runs/{id}/fork`: messages that replace those of agents.

    `breakpoints` None: those of the original run.
    """

    messages: dict[AgentId, str] = Field(default_factory=dict)
    breakpoints: tuple[AgentId, ...] | None = None
    step: bool = False


def request_errors(request: RunRequest) -> tuple[FieldError, ...]:
    """Errors of the texts of a request: empty, too long, or not text at all."""
    errors = []
    if not request.query.strip():
        errors.append(FieldError("query", "empty", _("The question is empty.")))
    for name, text in (("query", request.query), ("reference", request.reference or "")):
        errors += text_errors(name, text, QUERY_MAX_CHARS)
    try:
        files_checked(list(request.files))
    except BadFiles as error:
        errors.append(FieldError("files", "bad_files", f"{error}."[:1].upper() + f"{error}."[1:]))
    return (*errors, *config_errors(request.method_config))
