"""What is wrong with the database, by PostgreSQL's own codes: full, busy, or away."""

import psycopg
from django.db import Error, connection
from django.utils.translation import gettext_lazy
from psycopg_pool import PoolClosed, PoolTimeout

TROUBLES = {
    "database_away": gettext_lazy("The database does not answer: it is stopped or starting again."),
    "database_busy": gettext_lazy("No database connection was free in time."),
    "database_full": gettext_lazy("The database's disk is full, so nothing can be stored."),
}
FULL = "53100"
BUSY = ("53", "40", "55P03")
"""No room for another session or its locks, or a transaction that was stopped in favour of
another."""
AWAY = ("08", "57P")
LOOK_SECONDS = 2


def trouble_of(error: Error) -> str | None:
    """A key of TROUBLES. None: the statement itself is wrong."""
    cause = error.__cause__
    if isinstance(cause, (PoolTimeout, PoolClosed)):
        # A pool also times out when its server is away.
        return "database_busy" if answers() else "database_away"
    if not isinstance(cause, psycopg.Error):
        return None
    code = cause.sqlstate
    if code is None or code.startswith(AWAY):
        return "database_away"
    if code == FULL:
        return "database_full"
    return "database_busy" if code.startswith(BUSY) else None


def answers() -> bool:
    """Whether the server accepts a connection, or says that it has too many."""
    given = {**connection.get_connection_params(), "connect_timeout": LOOK_SECONDS}
    try:
        psycopg.connect(**given).close()
    except psycopg.OperationalError as error:
        return "too many" in str(error) or "reserved for" in str(error)
    return True
