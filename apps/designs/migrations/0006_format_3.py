"""Brings drafts and versions to format 3, which has a place for a script."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from workers.core.designs.spec import read_design


def write_again(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    for model, field in (("Design", "draft"), ("DesignVersion", "spec")):
        rows = apps.get_model("designs", model).objects.filter(**{f"{field}__format": 2})
        for row in rows.only(field).iterator(chunk_size=100):
            setattr(row, field, read_design(getattr(row, field)).model_dump(mode="json"))
            row.save(update_fields=[field])


class Migration(migrations.Migration):
    dependencies = (("designs", "0005_departures"),)

    operations = (migrations.RunPython(write_again, migrations.RunPython.noop, elidable=True),)
