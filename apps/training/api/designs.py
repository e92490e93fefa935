"""The designs that a training tried: of each question of a step the N × M matrix of rewards."""

from uuid import UUID

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.common.errors import ApplicationError, bad_address
from apps.training.api.design_serializers import (
    ExecutionTraceSerializer,
    SampledDesignsSerializer,
    SampledDesignStepsSerializer,
)
from apps.training.api.places import STEP_LIMIT, require_job, whole_number
from apps.training.folders import training_folder
from workers.core.rollouts.design_traces import events_of, graph_after
from workers.core.rollouts.designs import execution_of, questions_of, steps_kept

PAGE_SIZE = 10
MAX_PAGE_SIZE = 100
NUMBER_LIMIT = 2**15
STEP = OpenApiParameter("step", int, required=True, description="The step of the training, from 1")


class DesignStepsView(APIView):
    @extend_schema(
        operation_id="training_jobs_design_steps_retrieve",
        summary="Steps of a training whose designs are kept",
        responses=SampledDesignStepsSerializer,
    )
    def get(self, request: Request, job_id: UUID) -> Response:
        require_job(job_id)
        return Response({"steps": steps_kept(training_folder(job_id))})


class DesignsView(APIView):
    @extend_schema(
        operation_id="training_jobs_designs_retrieve",
        summary="Designs of a training's step, with their executions",
        description=(
            "Each question has several designs, and each design that can be used was executed "
            "several times. Paged by question."
        ),
        parameters=[
            STEP,
            OpenApiParameter("offset", int, description="How many questions to skip"),
            OpenApiParameter("page_size", int, description=f"At most {MAX_PAGE_SIZE:,}"),
        ],
        responses=SampledDesignsSerializer,
    )
    def get(self, request: Request, job_id: UUID) -> Response:
        require_job(job_id)
        step = _required(request, "step", 1, STEP_LIMIT - 1)
        offset = whole_number(request, "offset", 0, 0, STEP_LIMIT - 1) or 0
        size = whole_number(request, "page_size", PAGE_SIZE, 1, MAX_PAGE_SIZE) or PAGE_SIZE
        try:
            page = questions_of(training_folder(job_id), step, offset=offset, limit=size)
        except FileNotFoundError as error:
            raise _not_kept(step) from error
        return Response(
            {
                "step": step,
                "count": page.count,
                "shapes": page.shapes,
                "results": page.results,
            }
        )


class DesignExecutionView(APIView):
    @extend_schema(
        operation_id="training_jobs_design_execution_retrieve",
        summary="One execution of a design as the events of a run",
        description="With execution 0: a design that can't be used, so it was not executed.",
        parameters=[
            STEP,
            OpenApiParameter("question", int, required=True, description="In its step, from 0"),
            OpenApiParameter("design", int, required=True, description="Of the question, from 1"),
            OpenApiParameter("execution", int, required=True, description="Of the design, from 1"),
        ],
        responses=ExecutionTraceSerializer,
    )
    def get(self, request: Request, job_id: UUID) -> Response:
        require_job(job_id)
        step = _required(request, "step", 1, STEP_LIMIT - 1)
        question = _required(request, "question", 0, STEP_LIMIT - 1)
        design = _required(request, "design", 1, NUMBER_LIMIT - 1)
        execution = _required(request, "execution", 0, NUMBER_LIMIT - 1)
        try:
            found = execution_of(
                training_folder(job_id),
                step,
                question=question,
                design=design,
                execution=execution,
            )
        except FileNotFoundError as error:
            raise _not_kept(step) from error
        if found is None:
            raise ApplicationError(
                code="no_such_execution",
                message=_("The step has no such execution of a design."),
                remedy=_("Open the step, and choose one of its executions."),
                status_code=404,
            )
        row, executed = found
        events = list(events_of(row, executed))
        return Response(
            {
                "step": step,
                "question": row.question,
                "task": row.task,
                "query": row.query,
                "reference": row.reference,
                "design": row.design,
                "execution": execution,
                "reward": executed.reward if executed else 0.0,
                "parts": dict(executed.parts) if executed else {},
                "advantage": executed.advantage if executed else 0.0,
                "correct": executed.correct if executed else False,
                "answer": executed.answer if executed else None,
                "learned": executed.learned if executed else False,
                "design_reward": row.reward,
                "design_advantage": row.advantage,
                "graph": graph_after(events).model_dump(mode="json"),
                "events": [event.model_dump(mode="json") for event in events],
            }
        )


def _required(request: Request, name: str, least: int, most: int) -> int:
    number = whole_number(request, name, None, least, most)
    if number is None:
        raise bad_address(name, f"no_{name}", _("Give a whole number."))
    return number


def _not_kept(step: int) -> ApplicationError:
    return ApplicationError(
        code="designs_not_kept",
        message=_("The designs of step %(step)s are not kept.") % {"step": step},
        remedy=_(
            "Only steps of reinforcement learning of a team designer have designs, and a training "
            "keeps those of its latest steps (branches_kept)."
        ),
        status_code=404,
    )
