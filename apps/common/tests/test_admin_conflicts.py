"""Two people on one page of the admin: the second save takes nothing back unseen."""

from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db import models
from rest_framework.test import APIClient

from apps.accounts.models import User
from apps.accounts.tests.cast import AsUser
from apps.common.tests.admin_forms import sent_back
from apps.common.tests.at_once import at_once
from apps.llms.models import Endpoint
from apps.roles.models import Role, RolePool
from apps.roles.services import pool_create, role_create
from apps.tasks.models import Dataset

REFUSED = "Changed elsewhere since you opened this page"


@dataclass(frozen=True, slots=True)
class Field:
    """`theirs` is stored while the page is open, `mine` is what its user sends."""

    model: type[models.Model]
    name: str
    mine: list[str]
    theirs: Any
    said: str


FIELDS = [
    Field(Role, "prompt", ["Mine."], "Theirs.\nTwo lines.", "Theirs."),
    Field(Role, "capabilities", ["a\r\nb"], ["c", "d"], "c\nd"),
    Field(RolePool, "description", ["Mine."], "Theirs.", "Theirs."),
    Field(Endpoint, "prompt_price", ["2.5"], 4.25, "4.25"),
    Field(Endpoint, "api_key_env", ["MINE_API_KEY"], "THEIRS_API_KEY", "THEIRS_API_KEY"),
    Field(Dataset, "licence", ["mine"], "theirs", "theirs"),
    Field(User, "email", ["mine@example.org"], "theirs@example.org", "theirs@example.org"),
]


@pytest.fixture
def things(db: None, cast: dict[str, User]) -> dict[type[models.Model], Any]:
    pool = pool_create(values={"key": "small", "name": "Small"})
    values = {"name": "Algebraist", "family": "mathematics", "description": "Solves."}
    role = role_create(pool=pool, values={"key": "algebraist", "prompt": "Solve.", **values})
    dataset = Dataset.objects.create(key="sums", name="Sums", benchmark="custom")
    endpoint = Endpoint.objects.create(
        key="local",
        name="Local",
        base_url="http://127.0.0.1:8080/v1",
        model="m",
        allow_private_address=True,
    )
    return {Role: role, RolePool: pool, Endpoint: endpoint, Dataset: dataset, User: cast["viewer"]}


def address(thing: models.Model) -> str:
    return f"/admin/{thing._meta.app_label}/{thing._meta.model_name}/{thing.pk}/change/"


def send(client: APIClient, thing: models.Model, values: dict[str, Any]) -> Any:
    return client.post(address(thing), values, format="multipart", follow=True)


def stored(thing: models.Model, name: str) -> Any:
    return getattr(type(thing)._default_manager.get(pk=thing.pk), name)


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: f"{field.model.__name__}-{field.name}")
def test_what_both_changed_is_refused_to_the_second_and_then_overwritten_knowingly(
    as_user: AsUser, things: dict[type[models.Model], Any], field: Field
) -> None:
    client, thing = as_user("admin"), things[field.model]
    form = sent_back(client.get(address(thing)))
    field.model._default_manager.filter(pk=thing.pk).update(**{field.name: field.theirs})
    refused = send(client, thing, {**form, field.name: field.mine})
    assert stored(thing, field.name) == field.theirs
    assert REFUSED in refused.content.decode()
    assert field.said in str(refused.context["adminform"].form.errors[field.name].data[0].message)
    again = sent_back(refused)
    assert again[field.name] == field.mine
    assert REFUSED not in send(client, thing, again).content.decode()
    assert stored(thing, field.name) != field.theirs


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: f"{field.model.__name__}-{field.name}")
def test_what_another_one_changed_stays_and_is_told(
    as_user: AsUser, things: dict[type[models.Model], Any], field: Field
) -> None:
    client, thing = as_user("admin"), things[field.model]
    other = "first_name" if field.model is User else "name"
    form = sent_back(client.get(address(thing)))
    field.model._default_manager.filter(pk=thing.pk).update(**{field.name: field.theirs})
    page = send(client, thing, {**form, other: ["Mine"]}).content.decode()
    assert (stored(thing, field.name), stored(thing, other)) == (field.theirs, "Mine")
    assert "Also changed elsewhere since you opened this page, and kept" in page


@pytest.mark.django_db
def test_rights_that_were_taken_away_meanwhile_do_not_come_back(
    as_user: AsUser, cast: dict[str, User]
) -> None:
    client, person = as_user("admin"), cast["operator"]
    form = sent_back(client.get(address(person)))
    User.objects.filter(pk=person.pk).update(is_active=False)
    person.groups.clear()
    send(client, person, {**form, "email": ["new@example.org"]})
    person.refresh_from_db()
    assert (person.email, person.is_active, person.groups.count()) == ("new@example.org", False, 0)
    curator = str(Group.objects.get(name="curator").pk)
    refused = send(client, person, {**form, "groups": [curator]}).content.decode()
    assert REFUSED in refused
    assert person.groups.count() == 0


@pytest.mark.django_db
def test_both_making_the_same_change_is_no_conflict(
    as_user: AsUser, things: dict[type[models.Model], Any]
) -> None:
    client, role = as_user("curator"), things[Role]
    form = sent_back(client.get(address(role)))
    Role.objects.filter(pk=role.pk).update(prompt="The same.\nTwice.")
    page = send(client, role, {**form, "prompt": ["The same.\r\nTwice."]}).content.decode()
    assert REFUSED not in page


@pytest.mark.django_db
def test_the_page_of_a_person_holds_nothing_of_their_password(
    as_user: AsUser, cast: dict[str, User]
) -> None:
    page = as_user("admin").get(address(cast["viewer"]))
    assert "initial-email" in page.content.decode()
    assert "initial-password" not in page.content.decode()


@pytest.mark.django_db(transaction=True)
def test_of_two_saves_at_the_same_moment_one_is_refused(
    as_user: AsUser, things: dict[type[models.Model], Any]
) -> None:
    clients, role = [as_user("curator"), as_user("admin")], things[Role]
    forms = [sent_back(client.get(address(role))) for client in clients]

    def save(number: int) -> bool:
        values = {**forms[number], "prompt": [f"Prompt {number}."]}
        return REFUSED in send(clients[number], role, values).content.decode()

    refused = at_once(save, 2)
    assert sorted(refused) == [False, True]
    assert stored(role, "prompt") == f"Prompt {refused.index(False)}."
