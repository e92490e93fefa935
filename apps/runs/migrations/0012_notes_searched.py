"""A search finds runs by their answers and notes, too. What is noted already is found as well."""

import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.functions.text
from django.db import migrations, models

KNOWN = """
UPDATE runs_run SET noted = notes.texts FROM (
  SELECT run_id, string_agg(label || ' ' || comment, ' ' ORDER BY id) AS texts
  FROM runs_annotation GROUP BY run_id
) AS notes WHERE runs_run.id = notes.run_id
"""

# The lock comes in a statement of its own: one that waited for it would read the notes as they
# were before, without what whoever held it has written.
FOLLOW = """
CREATE FUNCTION runs_annotation_noted() RETURNS trigger AS $$
DECLARE noted_run uuid := coalesce(NEW.run_id, OLD.run_id);
BEGIN
  PERFORM 1 FROM runs_run WHERE id = noted_run FOR UPDATE;
  UPDATE runs_run SET noted = coalesce((
    SELECT string_agg(label || ' ' || comment, ' ' ORDER BY id)
    FROM runs_annotation WHERE run_id = noted_run
  ), '') WHERE id = noted_run;
  RETURN NULL;
END $$ LANGUAGE plpgsql;
CREATE TRIGGER runs_annotation_noted
AFTER INSERT OR DELETE OR UPDATE OF label, comment ON runs_annotation
FOR EACH ROW EXECUTE FUNCTION runs_annotation_noted();
"""
LEAVE = "DROP TRIGGER runs_annotation_noted ON runs_annotation; DROP FUNCTION runs_annotation_noted"


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0011_filter_indexes'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='annotation',
            name='annotation_label',
        ),
        migrations.RemoveIndex(
            model_name='run',
            name='run_query_words',
        ),
        migrations.RemoveField(
            model_name='run',
            name='query_words',
        ),
        migrations.AddField(
            model_name='run',
            name='noted',
            field=models.TextField(blank=True, default=''),
        ),
        migrations.RunSQL(KNOWN, migrations.RunSQL.noop),
        migrations.RunSQL(FOLLOW, LEAVE),
        migrations.AddField(
            model_name='run',
            name='words',
            field=models.GeneratedField(db_persist=True, expression=django.contrib.postgres.search.SearchVector('query', django.db.models.functions.text.Left('answer', 20000), django.db.models.functions.text.Left('noted', 20000), config='simple'), output_field=django.contrib.postgres.search.SearchVectorField()),
        ),
        migrations.AddIndex(
            model_name='run',
            index=django.contrib.postgres.indexes.GinIndex(fields=['words'], name='run_words'),
        ),
        migrations.AddIndex(
            model_name='annotation',
            index=models.Index(django.db.models.functions.text.Upper('label'), name='annotation_label'),
        ),
        migrations.AddIndex(
            model_name='annotation',
            index=models.Index(condition=models.Q(('score__isnull', False)), fields=['score'], name='annotation_score'),
        ),
    ]
