"""Extra request fields. The embedded model's endpoint gets those of a new studio."""

from typing import Any

from django.db import migrations, models

FIELDS = {"dry_sequence_breakers": ["<|im_end|>"]}


def fill_embedded(apps: Any, schema_editor: Any) -> None:
    endpoints = apps.get_model("llms", "Endpoint").objects
    endpoints.filter(key="embedded", model="smollm2-135m-instruct").update(extra_body=FIELDS)


class Migration(migrations.Migration):
    dependencies = (("llms", "0007_sees_images"),)

    operations = (
        migrations.AddField(
            model_name="endpoint",
            name="extra_body",
            field=models.JSONField(
                blank=True,
                default=dict,
                help_text='A JSON object that is added to each request, such as {"top_p": 0.9} or {"chat_template_kwargs": {"enable_thinking": false}}. Everybody who can sign in can read it, so it is no place for a key.',  # noqa: E501
                verbose_name="extra request fields",
            ),
        ),
        migrations.RunPython(fill_embedded, migrations.RunPython.noop, elidable=True),
    )
