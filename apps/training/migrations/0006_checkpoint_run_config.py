from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('training', '0005_charged'),
    ]

    operations = [
        migrations.AddField(
            model_name='checkpoint',
            name='run_config',
            field=models.JSONField(blank=True, null=True),
        ),
    ]
