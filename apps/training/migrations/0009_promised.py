from typing import ClassVar

from django.db import migrations, models
from django.db.migrations.operations.base import Operation


class Migration(migrations.Migration):
    dependencies: ClassVar[list[tuple[str, str]]] = [("training", "0008_profiles")]

    operations: ClassVar[list[Operation]] = [
        migrations.AddField("trainingjob", "promised_tokens", models.BigIntegerField(default=0)),
        migrations.AddField("trainingjob", "promised_cost", models.FloatField(default=0.0)),
    ]
