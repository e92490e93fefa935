"""What `up` says of a database that is older, newer, or somebody else's."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from studio.launcher import migrations
from studio.launcher.errors import LauncherError
from tests.processes.database import empty_database

pytestmark = pytest.mark.processes

CODE = ("0001_initial", "0002_more", "0003_most")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A clone with one app of three migrations."""
    place = tmp_path / "apps" / "runs" / "migrations"
    place.mkdir(parents=True)
    for name in CODE:
        (place / f"{name}.py").touch()
    (place / "__init__.py").touch()
    return tmp_path


@pytest.fixture
def url() -> Iterator[str]:
    with empty_database("migrations") as url:
        yield url


def store(url: str, root: Path, *more: str, without: str = "") -> None:
    """Write into the database that it has the code's migrations, but for some."""
    names = {*migrations.of_code(root), *more} - {without}
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE django_migrations (app text, name text)")
        for name in names:
            statement = "INSERT INTO django_migrations VALUES (%s, %s)"
            connection.execute(statement, name.split(".", 1))


def needed(root: Path, url: str, *, stamped: bool = True) -> tuple[bool, list[str]]:
    said: list[str] = []
    return migrations.needed(root, url, stamped=stamped, say=said.append), said


def test_the_codes_migrations_are_ours_and_djangos(root: Path) -> None:
    found = migrations.of_code(root)
    assert {f"runs.{name}" for name in CODE} <= found
    assert "auth.0001_initial" in found
    assert not any("__init__" in name for name in found)


def test_a_stamp_is_not_believed_over_an_empty_or_an_older_database(root: Path, url: str) -> None:
    assert needed(root, url) == (True, [])
    store(url, root, without="runs.0003_most")
    assert needed(root, url) == (
        True,
        ["An older version of MAS Studio wrote this database. Updating its tables (1 change)."],
    )


def test_a_database_that_has_everything_needs_nothing(root: Path, url: str) -> None:
    store(url, root, "somepackage.0001_initial")
    assert needed(root, url) == (False, [])
    assert needed(root, url, stamped=False) == (True, [])


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["runs.0004_next"], r"it has runs\.0004_next, which"),
        (["auth.9999_future"], r"it has auth\.9999_future, which"),
        ([f"runs.000{n}_x" for n in range(4, 9)], r"runs\.0006_x and 2 more, which"),
    ],
)
def test_older_code_does_not_start_on_a_newer_database(
    root: Path, url: str, more: list[str], words: str
) -> None:
    store(url, root, *more)
    with pytest.raises(LauncherError, match=words) as caught:
        needed(root, url)
    for part in ("A newer version", "Nothing was changed", "restore FOLDER"):
        assert part in str(caught.value)


def test_a_database_of_another_program_is_left_alone(root: Path, url: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE invoices (id int)")
    with pytest.raises(LauncherError, match="none of MAS Studio's migrations"):
        needed(root, url)


def test_a_database_that_does_not_answer_is_said_without_its_password(root: Path) -> None:
    with pytest.raises(LauncherError, match="The database does not answer") as caught:
        needed(root, "postgresql://studio:hunter2@127.0.0.1:1/studio")
    assert "hunter2" not in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
