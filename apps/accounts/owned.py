"""What a person owns in the studio, and what happens to it when their account is deleted."""

from dataclasses import dataclass

from django.db.models import CASCADE, Model

from apps.accounts.models import User


@dataclass(frozen=True, slots=True)
class Owned:
    """`field` of `model` names the person. `goes`: deleted with the account; else it stays without
    an owner."""

    model: type[Model]
    field: str
    name: str
    count: int
    goes: bool


def owned_by(user: User) -> list[Owned]:
    """What a person owns of every model that names an owner, so that no new model is forgotten."""
    found = []
    for relation in User._meta.related_objects:
        model, field = relation.related_model, relation.field.name
        if not relation.one_to_many or not isinstance(model, type):
            continue
        count = model._base_manager.filter(**{field: user}).count()
        if count:
            name = str(model._meta.verbose_name_plural)
            found.append(Owned(model, field, name, count, relation.on_delete is CASCADE))
    return sorted(found, key=lambda owned: owned.name)
