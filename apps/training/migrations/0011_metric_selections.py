from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("training", "0010_checkpoints_leave"),)

    operations = (
        migrations.AddField(
            model_name="metric",
            name="selections",
            field=models.JSONField(default=list),
        ),
    )
