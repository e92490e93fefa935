"""The admin: jobs to read, checkpoints to promote."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.urls import reverse
from rest_framework.test import APIClient

from apps.checkpoints import folders
from apps.checkpoints.models import Checkpoint
from apps.training.tests.conftest import MakeCheckpoint, MakeJob

pytestmark = pytest.mark.django_db

AsUser = Callable[[str], APIClient]
LIST = reverse("admin:training_checkpoint_changelist")


def promote(client: APIClient, *checkpoints: Checkpoint) -> str:
    form = {"action": "promote", "_selected_action": [checkpoint.pk for checkpoint in checkpoints]}
    answer = client.post(LIST, form, format="multipart", follow=True)
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_a_curator_promotes(as_user: AsUser, make_checkpoint: MakeCheckpoint) -> None:
    first, second = make_checkpoint("first", is_default=True), make_checkpoint("second")
    assert "now use second" in promote(as_user("curator"), second)
    assert Checkpoint.objects.get(is_default=True) == second
    assert "A method has one default" in promote(as_user("curator"), first, second)
    assert Checkpoint.objects.get(is_default=True) == second


def test_what_cannot_be_promoted_is_told(as_user: AsUser, make_checkpoint: MakeCheckpoint) -> None:
    lost = make_checkpoint("lost")
    folders.remove("lost")
    assert "Not promoted." in promote(as_user("curator"), lost)
    assert not Checkpoint.objects.filter(is_default=True).exists()


def test_an_operator_does_not(as_user: AsUser, make_checkpoint: MakeCheckpoint) -> None:
    checkpoint = make_checkpoint("one")
    form = {"action": "promote", "_selected_action": [checkpoint.pk]}
    assert as_user("operator").post(LIST, form, format="multipart").status_code in (302, 403)
    assert not Checkpoint.objects.filter(is_default=True).exists()


def test_jobs_by_status(as_user: AsUser, make_job: MakeJob) -> None:
    make_job(name="The one")
    address = reverse("admin:training_trainingjob_changelist")
    client = as_user("admin")
    assert "The one" in client.get(f"{address}?status__exact=queued").content.decode()
    assert "The one" not in client.get(f"{address}?status__exact=failed").content.decode()
