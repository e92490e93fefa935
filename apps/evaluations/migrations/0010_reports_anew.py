"""The reports added up what 0008 took away: each is made again when somebody looks at it."""

from __future__ import annotations

from typing import Any

from django.db import migrations


def forget_sums(apps: Any, schema_editor: Any) -> None:
    apps.get_model("evaluations", "RationalityReport").objects.update(looked_at=0)


class Migration(migrations.Migration):
    dependencies = (("evaluations", "0009_worked_seconds"),)
    operations = (migrations.RunPython(forget_sums, migrations.RunPython.noop),)
