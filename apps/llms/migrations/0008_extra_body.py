"""Extra request fields. The embedded model's endpoint gets those of a new studio."""

from typing import Any

from django.db import migrations, models

FIELDS = {"dry_sequence_breakers": ["<|im_end|>"]}


def fill_embedded(apps: Any, schema_editor: Any) -> None:
    """Of this machine's own server alone: another one may not know the field."""
    endpoints = apps.get_model("llms", "Endpoint").objects.filter(
        key="embedded", model="smollm2-135m-instruct", base_url__startswith="http://127.0.0.1:"
    )
    for endpoint in endpoints:
        endpoint.extra_body = FIELDS
        endpoint.save(update_fields=["extra_body", "updated_at"])
        apps.get_model("llms", "EndpointChange").objects.create(
            endpoint=endpoint,
            endpoint_key=endpoint.key,
            kind="changed",
            fields=[{"name": "extra_body", "before": {}, "after": FIELDS}],
        )


class Migration(migrations.Migration):
    dependencies = (("llms", "0007_sees_images"),)

    operations = (
        migrations.AddField(
            model_name="endpoint",
            name="extra_body",
            field=models.JSONField(
                blank=True,
                default=dict,
                help_text='A JSON object that is added to each request, such as {"top_p": 0.9} or {"chat_template_kwargs": {"enable_thinking": false}}. Everybody who can sign in can read it: enter no key.',  # noqa: E501
                verbose_name="extra request fields",
            ),
        ),
        migrations.RunPython(fill_embedded, migrations.RunPython.noop, elidable=True),
    )
