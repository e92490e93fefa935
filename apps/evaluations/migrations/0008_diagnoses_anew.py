"""Whom the rules blame has changed. What they said before goes, and is read from the traces again
when somebody looks; what a judge said stays."""

from __future__ import annotations

from typing import Any

from django.db import migrations


def forget_rules(apps: Any, schema_editor: Any) -> None:
    apps.get_model("evaluations", "Diagnosis").objects.exclude(by="judge").delete()


class Migration(migrations.Migration):
    dependencies = (("evaluations", "0007_checkpoint_index"),)
    operations = (migrations.RunPython(forget_rules, migrations.RunPython.noop),)
