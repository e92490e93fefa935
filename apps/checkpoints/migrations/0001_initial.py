"""Checkpoints leave the app of trainings. Their table stays as it is."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def rename_content_type(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """What the admin's log says of them stays theirs."""
    apps.get_model("contenttypes", "ContentType").objects.filter(
        app_label="training", model="checkpoint"
    ).update(app_label="checkpoints")


def name_it_as_before(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    apps.get_model("contenttypes", "ContentType").objects.filter(
        app_label="checkpoints", model="checkpoint"
    ).update(app_label="training")


class Migration(migrations.Migration):
    dependencies = (
        ("training", "0009_promised"),
        ("contenttypes", "0002_remove_content_type_name"),
    )

    operations = (
        migrations.SeparateDatabaseAndState(
            state_operations=(
                migrations.CreateModel(
                    name="Checkpoint",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("name", models.CharField(max_length=120, unique=True)),
                        ("method", models.SlugField(max_length=63)),
                        ("label", models.CharField(blank=True, default="", max_length=200)),
                        ("path", models.CharField(blank=True, default="", max_length=500)),
                        ("digest", models.CharField(max_length=64)),
                        ("size_bytes", models.BigIntegerField(default=0)),
                        ("trained", models.BooleanField(default=False)),
                        ("is_default", models.BooleanField(default=False)),
                        ("promoted", models.BooleanField(default=False)),
                        ("step", models.PositiveIntegerField(default=0)),
                        ("metrics", models.JSONField(blank=True, default=dict)),
                        ("recipe", models.JSONField(blank=True, default=dict)),
                        ("run_config", models.JSONField(blank=True, null=True)),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        (
                            "job",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="checkpoints",
                                to="training.trainingjob",
                            ),
                        ),
                    ],
                    options={
                        "db_table": "training_checkpoint",
                        "ordering": ("-created_at", "-id"),
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("is_default", True)),
                                fields=("method",),
                                name="checkpoint_one_default",
                            ),
                            models.UniqueConstraint(
                                fields=("job", "step"), name="checkpoint_unique_step"
                            ),
                        ],
                    },
                ),
            ),
        ),
        migrations.RunPython(rename_content_type, name_it_as_before),
    )
