"""A row that went while a request looked at it."""

import pytest
from django.db import transaction

from apps.common.errors import ApplicationError
from apps.common.locking import locked
from apps.llms.models import Endpoint
from apps.llms.services import endpoint_update
from apps.roles.models import Role, RolePool
from apps.roles.services import pool_update, role_create, role_update
from apps.roles.tests.conftest import role_values
from apps.tasks.models import Dataset
from apps.tasks.services import dataset_update

pytestmark = pytest.mark.django_db

SOLVER = role_values("solver")


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
    endpoint = Endpoint.objects.create(key="e", name="E", base_url="https://x.example", model="m")
    for each in (role, dataset, endpoint):
        type(each)._default_manager.filter(pk=each.pk).delete()
    for change in (
        lambda: role_update(role=role, values={"name": "Other"}),
        lambda: dataset_update(dataset=dataset, values={"name": "Other"}),
        lambda: endpoint_update(endpoint=endpoint, values={"name": "Other"}),
    ):
        with pytest.raises(ApplicationError, match="has been deleted") as caught:
            change()
        assert caught.value.status_code == 404
    assert not Endpoint.objects.exists()
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
