from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('llms', '0004_model_size'),
    ]

    operations = [
        migrations.AlterField(
            model_name='endpoint',
            name='timeout_seconds',
            field=models.FloatField(
                default=120.0,
                help_text='Seconds of silence after which a try of a call is given up. A call that waits for its turn has not begun.',
            ),
        ),
    ]
