"""Says of a design what it began as; of those that are there it is read from their run."""

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def read_origins(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    apps.get_model("designs", "Design").objects.filter(from_run__isnull=False).update(origin="run")


class Migration(migrations.Migration):
    dependencies = (("designs", "0002_drawing"),)

    operations = (
        migrations.AddField(
            model_name="design",
            name="origin",
            field=models.CharField(
                choices=[("drawn", "Drawn"), ("run", "Run"), ("sample", "Sample")],
                default="drawn",
                max_length=8,
            ),
        ),
        migrations.RunPython(read_origins, migrations.RunPython.noop, elidable=True),
    )
