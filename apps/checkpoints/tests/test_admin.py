"""The admin: checkpoints to promote."""

import pytest
from django.urls import reverse
from rest_framework.test import APIClient

from apps.accounts.tests.cast import AsUser
from apps.checkpoints import folders
from apps.checkpoints.models import Checkpoint
from apps.training.tests.conftest import MakeCheckpoint

pytestmark = pytest.mark.django_db
LIST = reverse("admin:checkpoints_checkpoint_changelist")


def promote(client: APIClient, *checkpoints: Checkpoint, status: tuple[int, ...] = (200,)) -> str:
    form = {"action": "promote", "_selected_action": [checkpoint.pk for checkpoint in checkpoints]}
    answer = client.post(LIST, form, format="multipart", follow=200 in status)
    assert answer.status_code in status
    return str(answer.content.decode())


def test_a_curator_promotes(as_user: AsUser, make_checkpoint: MakeCheckpoint) -> None:
    first, second = make_checkpoint("first", is_default=True), make_checkpoint("second")
    assert "now use second" in promote(as_user("curator"), second)
    assert "A method has one default" in promote(as_user("curator"), first, second)
    folders.remove("first")
    assert "Not promoted." in promote(as_user("curator"), first)
    promote(as_user("operator"), first, status=(302, 403))
    assert Checkpoint.objects.get(is_default=True) == second
