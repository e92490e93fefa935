"""The pace of an evaluation, for its time left. Of one that is under way it is the pace since its last
resume, which is all that was known before."""

from __future__ import annotations

from typing import Any

from django.db import migrations, models

PACE = """
UPDATE evaluations_evaluation
SET timed = done - done_before,
    worked_seconds = extract(epoch FROM freed_at - going_since)
WHERE status = 'running' AND done > done_before AND freed_at > going_since
"""


def note_pace(apps: Any, schema_editor: Any) -> None:
    schema_editor.execute(PACE)


class Migration(migrations.Migration):
    dependencies = (("evaluations", "0008_diagnoses_anew"),)
    operations = (
        migrations.AddField("evaluation", "worked_seconds", models.FloatField(default=0.0)),
        migrations.AddField("evaluation", "timed", models.PositiveIntegerField(default=0)),
        migrations.RunPython(note_pace, migrations.RunPython.noop),
        migrations.RemoveField("evaluation", "done_before"),
    )
