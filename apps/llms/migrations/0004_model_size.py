"""How large an endpoint's model is. Those that exist get the size that the model's name tells of:
what went by the name until now goes by a guess that people see."""

from __future__ import annotations

from typing import Any

from django.db import migrations, models
from django.db.models import Q

from workers.core.mas.small_models import suggested_parameters


def guess(apps: Any, schema_editor: Any) -> None:
    for endpoint in apps.get_model("llms", "Endpoint").objects.all():
        if size := suggested_parameters(endpoint.model):
            endpoint.parameters, endpoint.parameters_from = size, "name"
            endpoint.save(update_fields=["parameters", "parameters_from"])


class Migration(migrations.Migration):
    dependencies = (("llms", "0003_history"),)
    operations = (
        migrations.AddField(
            "endpoint",
            "parameters",
            models.BigIntegerField(
                blank=True,
                help_text="How many the model has, such as 500000000 for 0.5 billion. Models below a "
                "billion read short prompts. If empty, the number is guessed from the model's name.",
                null=True,
            ),
        ),
        migrations.AddField(
            "endpoint",
            "parameters_from",
            models.CharField(
                blank=True,
                choices=[
                    ("server", "told by the server"),
                    ("person", "entered by a person"),
                    ("name", "guessed from the model's name"),
                ],
                default="",
                max_length=8,
            ),
        ),
        migrations.RunPython(guess, migrations.RunPython.noop),
        migrations.AddConstraint(
            "endpoint",
            models.CheckConstraint(
                condition=Q(parameters__isnull=True, parameters_from="")
                | (Q(parameters__gte=1) & ~Q(parameters_from="")),
                name="endpoint_size_has_source",
            ),
        ),
    )
