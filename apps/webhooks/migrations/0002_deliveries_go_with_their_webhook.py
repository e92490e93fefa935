from django.db import migrations, models

ADD = """
ALTER TABLE webhooks_delivery ADD CONSTRAINT delivery_of_webhook
FOREIGN KEY (webhook_id) REFERENCES webhooks_webhook (id)
ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
"""


class Migration(migrations.Migration):
    dependencies = [("webhooks", "0001_initial")]

    operations = [
        migrations.AlterField(
            model_name="delivery",
            name="webhook",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=models.deletion.DO_NOTHING,
                related_name="deliveries",
                to="webhooks.webhook",
            ),
        ),
        migrations.RunSQL(ADD, "ALTER TABLE webhooks_delivery DROP CONSTRAINT delivery_of_webhook"),
    ]
