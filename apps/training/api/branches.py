"""Every branch that a training tried: the groups of a step, the branches of a group, a file."""

import math
from dataclasses import fields
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.permissions import user_of
from apps.common.errors import ApplicationError, bad_address, unknown_choice
from apps.common.file_stream import FileStream
from apps.common.renderers import IgnoresFormat
from apps.training.api.places import STEP_LIMIT, require_job, whole_number
from apps.training.api.serializers import (
    BranchesSerializer,
    BranchGroupsSerializer,
    BranchStepsSerializer,
)
from apps.training.folders import training_folder
from workers.core.evaluation.export import MEDIA_TYPES as EVALUATION_TYPES
from workers.core.rollouts.branches import (
    FORMS,
    Form,
    GroupFilter,
    exported,
    group_of,
    groups_of,
    path_of,
    steps_kept,
    steps_of_task,
)

PAGE_SIZE = 100
MAX_PAGE_SIZE = 1_000
TURN_LIMIT = 2**15
MEDIA_TYPES: dict[Form, str] = {
    "parquet": EVALUATION_TYPES["parquet"],
    "jsonl": "application/x-ndjson",
}
FILTERS = [
    OpenApiParameter("task", int, description="Only of the training's task at this place"),
    OpenApiParameter("agent", str, description="Only of this agent"),
    OpenApiParameter("turn", int, description="Only of this turn, from 1"),
    OpenApiParameter("ended", str, description="Only of episodes that ended so"),
    OpenApiParameter(
        "mixed", bool, description="Only groups whose rewards differ; false: are equal"
    ),
    OpenApiParameter("least", float, description="The best branch earned at least this"),
    OpenApiParameter("most", float, description="The best branch earned at most this"),
]


class BranchStepsView(APIView):
    @extend_schema(
        operation_id="training_jobs_branch_steps_retrieve",
        summary="Steps of a training whose branches are kept",
        parameters=[
            OpenApiParameter(
                "task", int, description="Only steps that played the training's task at this place"
            )
        ],
        responses=BranchStepsSerializer,
    )
    def get(self, request: Request, job_id: UUID) -> Response:
        require_job(job_id)
        folder = training_folder(job_id)
        task = whole_number(request, "task", None, 0, STEP_LIMIT - 1)
        return Response(
            {"steps": steps_kept(folder) if task is None else steps_of_task(folder, task)}
        )


class BranchGroupsView(APIView):
    @extend_schema(
        operation_id="training_jobs_branch_groups_retrieve",
        summary="Groups of a training's step",
        description=(
            "A group is what one agent answered in one turn of an episode: several branches, of "
            "which the best was taken. By episode, turn and agent."
        ),
        parameters=[
            *FILTERS,
            OpenApiParameter("offset", int, description="How many groups to skip"),
            OpenApiParameter("page_size", int, description=f"At most {MAX_PAGE_SIZE:,}"),
        ],
        responses=BranchGroupsSerializer,
    )
    def get(self, request: Request, job_id: UUID, step: int) -> Response:
        require_job(job_id)
        wanted = _wanted(request)
        offset = whole_number(request, "offset", 0, 0, STEP_LIMIT - 1) or 0
        size = whole_number(request, "page_size", PAGE_SIZE, 1, MAX_PAGE_SIZE) or PAGE_SIZE
        _require_kept(job_id, step)
        page = groups_of(training_folder(job_id), step, wanted, offset=offset, limit=size)
        # asdict copies every group: that took longer than to find them.
        return Response({each.name: getattr(page, each.name) for each in fields(page)})


class BranchGroupView(APIView):
    @extend_schema(
        operation_id="training_jobs_branch_group_retrieve",
        summary="All branches of a group",
        responses=BranchesSerializer,
    )
    def get(self, request: Request, job_id: UUID, step: int, **place: Any) -> Response:
        require_job(job_id)
        _require_kept(job_id, step)
        rows = []
        if place["episode"] < STEP_LIMIT and place["turn"] < TURN_LIMIT:
            rows = group_of(training_folder(job_id), step, **place)
        if not rows:
            raise ApplicationError(
                code="no_such_group",
                message=_("The step has no group of this agent, turn and episode."),
                remedy=_("Open the step, and choose one of its groups."),
                status_code=404,
            )
        return Response(_group(rows))


class BranchFileView(APIView):
    content_negotiation_class = IgnoresFormat

    @extend_schema(
        operation_id="training_jobs_branch_file_retrieve",
        summary="The branches of a step as a file",
        description="All branches of the groups that the filters leave; without any, of the step.",
        parameters=[
            *FILTERS,
            OpenApiParameter(
                "format",
                str,
                enum=list(FORMS),
                description="Format of the file; parquet by default. jsonl: a branch on each line",
            ),
        ],
        responses={
            (200, media_type): OpenApiResponse(OpenApiTypes.BINARY)
            for media_type in MEDIA_TYPES.values()
        },
    )
    def get(self, request: Request, job_id: UUID, step: int) -> FileStream:
        require_job(job_id)
        wanted, form = _wanted(request), request.query_params.get("format") or FORMS[0]
        if form not in FORMS:
            raise unknown_choice("format", form, FORMS)
        _require_kept(job_id, step)
        chosen: Form = form
        name = f"branches-{job_id}-{step}{'' if wanted == GroupFilter() else '-filtered'}.{form}"
        return FileStream(
            exported(training_folder(job_id), step, wanted, chosen),
            user_id=user_of(request).pk,
            content_type=MEDIA_TYPES[chosen],
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )


def _wanted(request: Request) -> GroupFilter:
    query = request.query_params
    return GroupFilter(
        task=whole_number(request, "task", None, 0, STEP_LIMIT - 1),
        agent=query.get("agent"),
        turn=whole_number(request, "turn", None, 1, TURN_LIMIT - 1),
        ended=query.get("ended"),
        mixed=_truth(request, "mixed"),
        least=_decimal(request, "least"),
        most=_decimal(request, "most"),
    )


def _group(rows: list[dict[str, Any]]) -> dict[str, Any]:
    common = ("episode", "task", "agent", "turn", "ended", "solved")
    return {
        **{name: rows[0][name] for name in common},
        "prompt": rows[0]["messages"],
        "branches": [
            {name: value for name, value in row.items() if name not in (*common, "messages")}
            for row in rows
        ],
    }


def _decimal(request: Request, name: str) -> float | None:
    text = request.query_params.get(name)
    if text is None:
        return None
    try:
        number = float(text[:40])
    except ValueError:
        number = float("nan")
    if math.isnan(number):
        raise bad_address(name, f"bad_{name}", _("Use a number, such as 0.5."))
    return number


def _truth(request: Request, name: str) -> bool | None:
    text = request.query_params.get(name)
    if text is None:
        return None
    if text not in ("true", "1", "false", "0"):
        raise bad_address(name, f"bad_{name}", _("Use true or false."))
    return text in ("true", "1")


def _require_kept(job_id: UUID, step: int) -> None:
    if step < STEP_LIMIT and path_of(training_folder(job_id), step).is_file():
        return
    raise ApplicationError(
        code="branches_not_kept",
        message=_("The branches of step %(step)s are not kept.") % {"step": step},
        remedy=_(
            "Only steps of reinforcement learning have branches, and a training keeps those of its "
            "latest steps (branches_kept)."
        ),
        status_code=404,
    )
