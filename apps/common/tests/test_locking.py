"""A row that went while a request looked at it."""

from __future__ import annotations

import pytest
from django.db import transaction

from apps.common.errors import ApplicationError
from apps.common.locking import locked
from apps.roles.models import Role, RolePool
from apps.roles.services import pool_update, role_create, role_update
from apps.tasks.models import Dataset
from apps.tasks.services import dataset_update

pytestmark = pytest.mark.django_db

SOLVER = {
    "key": "solver",
    "name": "Solver",
    "family": "solve",
    "description": "Solves.",
    "prompt": "Solve.",
}


def test_it_is_what_is_stored_now() -> None:
    read = Dataset.objects.create(key="sums", name="Sums")
    Dataset.objects.filter(pk=read.pk).update(name="Products")
    with transaction.atomic():
        assert locked(read).name == "Products"
    assert read.name == "Sums"


def test_what_went_is_told_and_not_made_again() -> None:
    pool = RolePool.objects.create(key="pool", name="Pool")
    role = role_create(pool=pool, values=SOLVER)
    dataset = Dataset.objects.create(key="sums", name="Sums")
    for each in (Role.objects.filter(pk=role.pk), Dataset.objects.filter(pk=dataset.pk)):
        each.delete()
    for change in (
        lambda: role_update(role=role, values={"name": "Other"}),
        lambda: dataset_update(dataset=dataset, values={"name": "Other"}),
    ):
        with pytest.raises(ApplicationError, match="has been deleted") as caught:
            change()
        assert caught.value.status_code == 404
    RolePool.objects.filter(pk=pool.pk).delete()
    with pytest.raises(ApplicationError, match="has been deleted"):
        pool_update(pool=pool, values={"name": "Other"})
    assert not RolePool.objects.filter(key="pool").exists()


def test_two_who_change_different_fields_both_keep_theirs() -> None:
    pool = RolePool.objects.create(key="pool", name="Pool")
    role_create(pool=pool, values=SOLVER)
    first, second = (Role.objects.get(key="solver") for _ in range(2))
    role_update(role=first, values={"prompt": "Solve it."})
    role_update(role=second, values={"name": "Problem solver"})
    assert (second.prompt, second.name, second.version) == ("Solve it.", "Problem solver", 3)
    one, other = (RolePool.objects.get(key="pool") for _ in range(2))
    pool_update(pool=one, values={"description": "Mine."})
    pool_update(pool=other, values={"name": "Ours"})
    assert (other.description, other.name) == ("Mine.", "Ours")
