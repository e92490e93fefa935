"""How likely each role was to be chosen in a training."""

from dataclasses import asdict
from uuid import UUID

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.common.serializers import Object
from apps.training.models import TrainingJob
from apps.training.selections import job_selections


class SelectableRoleSerializer(Object):
    key = serializers.CharField()
    name = serializers.CharField()
    family = serializers.CharField()


class SelectionPeriodSerializer(Object):
    first_step = serializers.IntegerField()
    last_step = serializers.IntegerField()


class SelectionCellSerializer(Object):
    period = serializers.IntegerField(help_text="Its place in `periods`, from 0")
    place = serializers.ChoiceField(
        choices=["first", "middle", "last"], help_text="Of the stage in its task"
    )
    layer = serializers.IntegerField(help_text="From 1")
    count = serializers.IntegerField(help_text="How often roles were chosen for it")
    probabilities = serializers.DictField(
        child=serializers.FloatField(), help_text="The mean, by role"
    )


class SelectionsSerializer(Object):
    roles = SelectableRoleSerializer(many=True, help_text="Those that are chosen from, in order")
    periods = SelectionPeriodSerializer(many=True, help_text="Thirds of the steps so far")
    cells = SelectionCellSerializer(many=True)


class SelectionsView(APIView):
    @extend_schema(
        operation_id="training_jobs_selections_retrieve",
        summary="How likely each role was, early, in the middle and late in a training",
        description=(
            "By the place of the stage in its task, and by layer. Empty for methods that choose no "
            "roles, and for trainings from before this was stored."
        ),
        responses=SelectionsSerializer,
    )
    def get(self, request: Request, job_id: UUID) -> Response:
        found = job_selections(get_object_or_404(TrainingJob, id=job_id))
        roles = [{"key": r.key, "name": r.name, "family": r.family} for r in found.roles]
        told = asdict(found)
        return Response({"roles": roles, "periods": told["periods"], "cells": told["cells"]})
