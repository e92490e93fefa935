from django.db import migrations, models

NUMBERED = """
    UPDATE agents_agentreward SET number = count;
    UPDATE agents_agentprofile SET recorded = count;
"""


class Migration(migrations.Migration):
    """n(a) has numbered an agent's rows so far; now they have a number of their own."""

    dependencies = [
        ('agents', '0003_training_rewards'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='agentreward',
            options={'ordering': ('agent', '-number')},
        ),
        migrations.AddField(
            model_name='agentprofile',
            name='recorded',
            field=models.BigIntegerField(default=0, editable=False),
        ),
        migrations.AddField(
            model_name='agentreward',
            name='number',
            field=models.BigIntegerField(default=0),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='agentreward',
            name='restored_by',
            field=models.CharField(blank=True, default='', max_length=150),
        ),
        migrations.AddField(
            model_name='agentreward',
            name='restored_from',
            field=models.CharField(blank=True, default='', max_length=120),
        ),
        migrations.RunSQL(NUMBERED, migrations.RunSQL.noop),
        # What was written waits for its checks, and no column of a table changes before them.
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.RemoveConstraint(
            model_name='agentreward',
            name='agent_reward_once',
        ),
        migrations.AlterField(
            model_name='agentreward',
            name='cost',
            field=models.FloatField(blank=True, null=True),
        ),
        migrations.AlterField(
            model_name='agentreward',
            name='reward',
            field=models.FloatField(blank=True, null=True),
        ),
        migrations.AddIndex(
            model_name='agentreward',
            index=models.Index(condition=models.Q(('restored_from', ''), _negated=True), fields=['restored_from'], name='agent_reward_restored'),
        ),
        migrations.AddConstraint(
            model_name='agentreward',
            constraint=models.UniqueConstraint(fields=('agent', 'number'), name='agent_reward_numbered'),
        ),
        migrations.AddConstraint(
            model_name='agentreward',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('cost__isnull', False), ('restored_from', ''), ('reward__isnull', False)), models.Q(models.Q(('restored_from', ''), _negated=True), ('cost__isnull', True), ('reward__isnull', True)), _connector='OR'), name='agent_reward_or_restored'),
        ),
    ]
