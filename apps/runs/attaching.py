"""The files that come with a question, and whether its team can open them."""

from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.common.errors import ApplicationError, FieldError
from apps.roles.models import PoolVersion
from apps.runs.requests import RunRequest
from apps.setups.plan import SetUpPlan
from apps.setups.specs import pool_spec
from apps.tasks.uploads import uploads_attached
from workers.core.methods.tools_used import tools_used
from workers.core.tools.attachments import (
    FILES_MAX,
    FILES_MAX_BYTES,
    AttachedFile,
    attached_files,
)
from workers.core.tools.read_file import READ_FILE


def files_of(user: User, request: RunRequest, errors: list[FieldError]) -> tuple[AttachedFile, ...]:
    """Those that are sent with the request, then the uploads. Adds to `errors` what is wrong."""
    sent = tuple(attached_files({"files": list(request.files)}).values())
    if not request.uploads:
        return sent
    uploads = uploads_attached(user, request.uploads, errors)
    count, size = len(sent) + len(uploads), sum(upload.size for upload in uploads)
    if count > FILES_MAX:
        message = _("%(count)s files are attached; a question may have at most %(at_most)s.") % {
            "count": count,
            "at_most": FILES_MAX,
        }
        errors.append(FieldError("uploads", "too_many_files", message))
    if size > FILES_MAX_BYTES:
        message = _("The files have %(size)s MB together; at most %(at_most)s MB are allowed.") % {
            "size": f"{size / 1e6:,.1f}",
            "at_most": f"{FILES_MAX_BYTES / 1e6:.0f}",
        }
        errors.append(FieldError("uploads", "too_large", message))
    return (*sent, *(AttachedFile(upload.name, sha256=upload.sha256) for upload in uploads))


def check_readable(request: RunRequest, plan: SetUpPlan, version: PoolVersion | None) -> None:
    """Raises ApplicationError if no agent of the team could open the files."""
    pool = pool_spec(version.pk if version else None)
    endpoints = [each.spec() for each in (plan.run_endpoint, *plan.further)]
    offered = {
        tool
        for endpoint in endpoints
        for tool in tools_used(plan.method, plan.method_config, pool=pool, endpoint=endpoint)
    }
    if READ_FILE.key in offered:
        return
    message = _(
        "No agent of this team can open the files: none has the tool read_file. Choose EvoMAS, or "
        "a pool or design with a role that has the tool, or write the text into the question."
    )
    field = "uploads" if request.uploads else "files"
    raise ApplicationError.of_fields([FieldError(field, "no_reader", message)])
