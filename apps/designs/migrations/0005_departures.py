"""Stores with each design what it was told of the run that it was taken from."""

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from workers.core.designs.taking import departures


def store(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    designs = apps.get_model("designs", "Design").objects.filter(from_run__isnull=False)
    for design in designs.select_related("from_run").only("from_run").iterator(chunk_size=100):
        run = design.from_run
        found = departures(
            method=run.method,
            options=run.method_config,
            answer_form=run.task_details.get("answer_form", "text"),
            answer=run.answer,
        )
        design.departures = [each.model_dump(mode="json") for each in found]
        design.save(update_fields=["departures"])


class Migration(migrations.Migration):
    dependencies = (("designs", "0004_format_2"), ("runs", "0014_cut_answers"))

    operations = (
        migrations.AddField("design", "departures", models.JSONField(blank=True, default=list)),
        migrations.RunPython(store, migrations.RunPython.noop, elidable=True),
    )
