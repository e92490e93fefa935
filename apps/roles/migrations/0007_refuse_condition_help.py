from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('roles', '0006_role_removed'),
    ]

    operations = [
        migrations.AlterField(
            model_name='role',
            name='refuse_condition',
            field=models.TextField(
                blank=True,
                default='',
                help_text='Models below a billion parameters are not told this: they repeat it as an answer.',
                max_length=2000,
            ),
        ),
    ]
