from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0002_query_words_stored'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='correct',
            field=models.BooleanField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='run',
            name='reward',
            field=models.FloatField(blank=True, null=True),
        ),
    ]
