"""Compares the code's migrations with the database's, at every start.

A stamp says that the packages' migrations were applied as well, which saves two seconds of Django.
The database itself counts more: someone may have loaded a backup since, or run newer code.
"""

import hashlib
import importlib.util
from collections.abc import Callable
from pathlib import Path

from studio.launcher.errors import LauncherError

STAMP = "migrated"
OF_DJANGO = ("admin", "auth", "contenttypes", "sessions")
NAMED = 3
"""Migrations that a message names."""


def fingerprint(root: Path, url: str, *, own: bool) -> str:
    """A digest of all migration files, the installed packages (they bring some) and the
    database."""
    total = hashlib.sha256((root / "requirements" / "base.lock").read_bytes())
    # Our own cluster has another port at each start but is the same one.
    total.update(b"own" if own else url.encode())
    for path in sorted(root.glob("apps/*/migrations/*.py")):
        total.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes())
    return total.hexdigest()


def applied(folder: Path) -> str:
    try:
        return (folder / STAMP).read_text()
    except FileNotFoundError:
        return ""


def remember(folder: Path, value: str) -> None:
    (folder / STAMP).write_text(value)


def forget(folder: Path) -> None:
    (folder / STAMP).unlink(missing_ok=True)


def of_code(root: Path) -> set[str]:
    """`app.name` of every migration of ours and of Django's own apps."""
    found = importlib.util.find_spec("django")
    django = Path(found.origin).parent if found and found.origin else root
    places = [*root.glob("apps/*/migrations")]
    places += [django / "contrib" / app / "migrations" for app in OF_DJANGO]
    return {
        f"{place.parent.name}.{path.stem}" for place in places for path in place.glob("[0-9]*.py")
    }


def of_database(url: str) -> set[str]:
    """`app.name` of every migration that the database has. Raises LauncherError."""
    import psycopg

    tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
    try:
        with psycopg.connect(url, connect_timeout=10) as connection:
            present = connection.execute("SELECT to_regclass('django_migrations')").fetchone()
            if present and present[0]:
                rows = connection.execute("SELECT app, name FROM django_migrations").fetchall()
                return {f"{app}.{name}" for app, name in rows}
            others = connection.execute(tables).fetchone()
    except psycopg.Error as error:
        said = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise LauncherError(f"The database does not answer: {said}") from error
    if others and others[0]:
        raise LauncherError(
            "The database holds tables, but none of MAS Studio's migrations. Nothing was "
            "changed. Set DATABASE_URL to an empty database, or load a backup into one."
        )
    return set()


def needed(root: Path, url: str, *, stamped: bool, say: Callable[[str], None]) -> bool:
    """Whether `migrate` has work to do. Raises LauncherError if newer code wrote the database."""
    code, database = of_code(root), of_database(url)
    labels = {name.split(".")[0] for name in code}
    unknown = sorted(name for name in database - code if name.split(".")[0] in labels)
    if unknown:
        raise LauncherError(
            f"A newer version of MAS Studio wrote this database: it has {named(unknown)}, which "
            "this version does not know. Nothing was changed. Start the newer version, or load a "
            "backup that this version made (bin/studio restore FOLDER)."
        )
    missing = code - database
    if database and missing:
        changes = "1 change" if len(missing) == 1 else f"{len(missing)} changes"
        say(f"An older version of MAS Studio wrote this database. Updating its tables ({changes}).")
    return bool(missing) or not stamped


def named(names: list[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
