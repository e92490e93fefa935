import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('roles', '0003_shipped_digest'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='poolversion',
            options={'ordering': ('-published_at', '-id')},
        ),
        migrations.AddField(
            model_name='poolversion',
            name='disabled',
            field=models.JSONField(blank=True, default=None, null=True),
        ),
        migrations.AddField(
            model_name='poolversion',
            name='note',
            field=models.CharField(blank=True, default='', max_length=500),
        ),
        migrations.AddField(
            model_name='poolversion',
            name='published_at',
            field=models.DateTimeField(default=django.utils.timezone.now),
        ),
        migrations.AddField(
            model_name='poolversion',
            name='published_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='rolepool',
            name='has_changes',
            field=models.BooleanField(default=True, editable=False),
        ),
        migrations.AddField(
            model_name='rolepool',
            name='published',
            field=models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='roles.poolversion'),
        ),
        migrations.CreateModel(
            name='PoolChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pool_key', models.SlugField(max_length=63)),
                ('version', models.PositiveIntegerField()),
                ('kind', models.CharField(choices=[('created', 'pool created'), ('renamed', "pool's own fields changed"), ('deleted', 'pool deleted'), ('role_added', 'role added'), ('role_updated', 'role changed'), ('role_removed', 'role removed'), ('enabled', 'roles enabled'), ('disabled', 'roles disabled'), ('moved', 'roles moved to a family'), ('imported', 'imported'), ('published', 'published'), ('discarded', 'draft discarded'), ('restored', 'version restored'), ('cloned', 'cloned from another pool')], max_length=16)),
                ('note', models.CharField(blank=True, default='', max_length=500)),
                ('diff', models.JSONField(blank=True, default=dict)),
                ('changed_at', models.DateTimeField(auto_now_add=True)),
                ('changed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
                ('pool', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='changes', to='roles.rolepool')),
            ],
            options={
                'ordering': ('-changed_at', '-id'),
                'indexes': [models.Index(fields=['pool', '-changed_at'], name='pool_change_newest')],
            },
        ),
    ]
