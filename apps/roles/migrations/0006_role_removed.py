from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('roles', '0005_publish_as_it_is'),
    ]

    operations = [
        migrations.AddField(
            model_name='role',
            name='removed',
            field=models.BooleanField(default=False, editable=False),
        ),
    ]
