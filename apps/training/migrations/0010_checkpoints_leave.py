from django.db import migrations


class Migration(migrations.Migration):
    dependencies = (("training", "0009_promised"), ("checkpoints", "0001_initial"))

    operations = (
        migrations.SeparateDatabaseAndState(
            state_operations=(migrations.DeleteModel(name="Checkpoint"),)
        ),
    )
