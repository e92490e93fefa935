"""The methods that a run can use."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.checkpoints.selectors import default_checkpoint
from apps.llms import own_models
from apps.setups.api.serializers import MethodSerializer
from apps.setups.drawn import DESIGN
from workers.core.methods.base import AsksOwnModels, KeepsAgents, LimitsReplies, Method
from workers.core.methods.registry import DEFAULT_METHOD, METHODS


class MethodsView(APIView):
    @extend_schema(summary="All methods", responses=MethodSerializer(many=True))
    def get(self, request: Request) -> Response:
        return Response([method_json(method) for method in METHODS.values()])


def method_json(method: Method) -> dict[str, Any]:
    return {
        "key": method.key,
        "name": method.name,
        "description": method.description,
        "source": method.source,
        "needs_pool": method.needs_pool,
        "needs_design": method.key == DESIGN,
        "is_default": method.key == DEFAULT_METHOD,
        "learns": method.learns,
        "keeps_agents": isinstance(method, KeepsAgents),
        "own_endpoint": own_models.KEY if isinstance(method, AsksOwnModels) else None,
        "small_reply_tokens": (
            method.small_reply_tokens if isinstance(method, LimitsReplies) else None
        ),
        "has_default_checkpoint": method.learns and default_checkpoint(method.key) is not None,
        "config_schema": method.config_schema.model_json_schema(),
    }
