from django.db import migrations


def make_groups(apps, schema_editor):
    group = apps.get_model("auth", "Group")
    for name in ("viewer", "operator", "curator", "admin"):
        group.objects.get_or_create(name=name)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial")]
    operations = [migrations.RunPython(make_groups, migrations.RunPython.noop)]
