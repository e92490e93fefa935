"""Every pool is published as it is, so that what runs took before, they take after."""

import hashlib
import json

from django.db import migrations
from django.db.models import F

FIELDS = (
    "key",
    "name",
    "family",
    "description",
    "capabilities",
    "prompt",
    "tools",
    "output_form",
    "refuse_condition",
)


def publish_as_it_is(apps, schema_editor):
    RolePool = apps.get_model("roles", "RolePool")
    PoolVersion = apps.get_model("roles", "PoolVersion")
    Role = apps.get_model("roles", "Role")
    PoolVersion.objects.update(published_at=F("created_at"))
    for pool in RolePool.objects.all():
        roles = Role.objects.filter(pool=pool).order_by("position", "key")
        said = [({name: getattr(role, name) for name in FIELDS}, role.enabled) for role in roles]
        if not any(enabled for _, enabled in said):
            continue  # no run can take it
        spec = {
            "key": pool.key,
            "name": pool.name,
            "description": pool.description,
            "version": pool.version,
            "roles": [role for role, enabled in said if enabled],
        }
        text = json.dumps(spec, separators=(",", ":"), ensure_ascii=False)
        version, _ = PoolVersion.objects.get_or_create(
            key=pool.key,
            version=pool.version,
            digest=hashlib.sha256(text.encode()).hexdigest(),
            defaults={"spec": spec},
        )
        version.pool = pool
        version.disabled = [
            {"place": place, "role": role} for place, (role, on) in enumerate(said) if not on
        ]
        version.save()
        RolePool.objects.filter(pk=pool.pk).update(published=version, has_changes=False)


class Migration(migrations.Migration):
    dependencies = [("roles", "0004_published")]

    operations = [migrations.RunPython(publish_as_it_is, migrations.RunPython.noop)]
