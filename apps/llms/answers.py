"""The store of answers at temperature 0, kept within its limits."""

from django.conf import settings
from django.db import connection


def answers_bound() -> int:
    """Removes the answers that were unused for longest until the limits hold; returns how many."""
    with connection.cursor() as cursor:
        cursor.execute(_PRUNE, [settings.ANSWERS_MAX_ROWS, settings.ANSWERS_MAX_BYTES])
        return int(cursor.rowcount)


_PRUNE = """
DELETE FROM llms_cachedanswer USING (
    SELECT key, row_number() OVER newest AS place, sum(octet_length(payload)) OVER newest AS bytes
    FROM llms_cachedanswer
    WINDOW newest AS (ORDER BY used_at DESC, key ROWS UNBOUNDED PRECEDING)
) AS ranked
WHERE llms_cachedanswer.key = ranked.key AND (ranked.place > %s OR ranked.bytes > %s)
"""
