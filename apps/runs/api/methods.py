"""The methods that a run can use."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.runs.api.serializers import MethodSerializer
from apps.runs.drawn import DESIGN
from workers.core.methods.base import Method
from workers.core.methods.registry import METHODS


class MethodsView(APIView):
    @extend_schema(summary="Every method", responses=MethodSerializer(many=True))
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
        "learns": method.learns,
        "config_schema": method.config_schema.model_json_schema(),
    }
