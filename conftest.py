"""The cast of every API test: one user per group, and an outsider."""

import gc
import signal
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import hypothesis
import pytest
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group
from django.core.cache import cache
from django.db import connection, transaction
from django.test import TransactionTestCase
from django.utils import timezone
from rest_framework.test import APIClient

from apps.accounts.models import GROUPS, User
from apps.accounts.services import token_create
from tests.processes.database import migrated
from workers.tasks.engine import engine_if_started

# A change is refused for what it breaks, not for what chance draws while it is tested.
# `--hypothesis-profile=default` draws new inputs.
hypothesis.settings.register_profile("same", derandomize=True, database=None)
hypothesis.settings.load_profile("same")


def pytest_sessionstart(session: pytest.Session) -> None:
    """What serves static files warns of a folder that is not there, at every client."""
    settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)
    # A shell starts what runs in its background deaf to Ctrl-C, nohup deaf to a closed terminal.
    # So would be what tests start: ignored signals are inherited, those with a handler are not.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: None)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Modules and tests stay until the end: looking through them again and again for garbage took
    a tenth to a quarter of the tests' time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> None:
    connection.settings_dict["TEST"]["TEMPLATE"] = migrated()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    """The engine of this process holds connections, and a database is dropped only without any."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", _emptied)
        yield
    engine_if_started().stop()


def _emptied(_: TransactionTestCase) -> None:
    """After a test that has committed: no row stays but content types and permissions, as Django
    leaves it. Django truncates every table and makes these rows again, which takes longer than most
    such tests."""
    tables = set(connection.introspection.django_table_names(only_existing=True))
    tables -= {"django_content_type", "auth_permission"}
    filled = " UNION ALL ".join(
        f"SELECT '{table}' WHERE EXISTS (SELECT FROM \"{table}\")"  # noqa: S608
        for table in tables
    )
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(filled)
        # Foreign keys are checked at the end.
        for (table,) in cursor.fetchall():
            cursor.execute(f'DELETE FROM "{table}"')  # noqa: S608


@pytest.fixture
def make_user(db: None) -> Callable[..., User]:
    def make(name: str, group: str | None = None) -> User:
        user = User.objects.create_user(username=name, password="correct horse battery")
        if group:
            user.groups.add(Group.objects.get_or_create(name=group)[0])
        return user

    return make


@pytest.fixture
def cast(db: None) -> dict[str, User]:
    """viewer, operator, curator, admin, and `outsider`: a user without a group. Made at once: most
    tests have a cast."""
    password = make_password("correct horse battery")
    people = User.objects.bulk_create(
        User(username=name, password=password) for name in (*GROUPS, "outsider")
    )
    Group.objects.bulk_create((Group(name=name) for name in GROUPS), ignore_conflicts=True)
    groups = {group.name: group for group in Group.objects.filter(name__in=GROUPS)}
    User.groups.through.objects.bulk_create(
        User.groups.through(user=user, group=groups[user.username])
        for user in people
        if user.username in groups
    )
    return {user.username: user for user in people}


@pytest.fixture
def as_user(cast: dict[str, User]) -> Callable[[str], APIClient]:
    """A logged-in client by name in the cast; `anonymous` is logged out."""

    def client_for(name: str) -> APIClient:
        client = APIClient()
        if name != "anonymous":
            client.force_login(cast[name])
        return client

    return client_for


@pytest.fixture
def with_token(cast: dict[str, User]) -> Callable[..., APIClient]:
    """A client that has a token of a person with some scopes, and no session."""

    def client_for(who: str, *scopes: str) -> APIClient:
        expires = timezone.now() + timedelta(days=1)
        _, secret = token_create(user=cast[who], name="t", scopes=list(scopes), expires_at=expires)
        return APIClient(headers={"Authorization": f"Bearer {secret}"})

    return client_for


@pytest.fixture(autouse=True)
def _fast_passwords(settings: Any) -> None:
    """The real hasher is slow on purpose; six users per test would make it most of the suite."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def _no_static_files(settings: Any) -> None:
    """Each test client makes the middleware anew, and looking for every static file was a quarter
    of the tests' time. Whoever wants one sets WHITENOISE_USE_FINDERS."""
    settings.WHITENOISE_USE_FINDERS = False


@pytest.fixture
def redis_leaves(settings: Any) -> Callable[[], None]:
    """From the call on, nothing listens where the cache is."""

    def leave() -> None:
        location = "redis://127.0.0.1:9/0"
        settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": location}}

    return leave


@pytest.fixture(autouse=True)
def _clean_cache(request: pytest.FixtureRequest) -> Iterator[None]:
    """Rate limits and health live in the cache; one test must not throttle the next."""
    yield
    if "db" in request.fixturenames or "transactional_db" in request.fixturenames:
        cache.clear()
