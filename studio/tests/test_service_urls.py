"""Every part of a URL counts, or the start stops and says which does not."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from kombu import Connection
from redis import Redis

from studio.service_urls import database, redis

POOL = {"min_size": 1, "max_size": 2}


def read(url: str) -> dict[str, object]:
    found = database(url, pool=POOL)
    return {name: value for name, value in found.items() if name.isupper() and value}


@pytest.mark.parametrize(
    ("url", "parts", "options"),
    [
        ("postgresql://u:p@h:5/d", {"HOST": "h", "PORT": "5", "NAME": "d", "USER": "u"}, {}),
        ("postgresql://u:p%23%2Fw@h/d", {"HOST": "h", "PASSWORD": "p#/w", "NAME": "d"}, {}),
        ("postgresql://u:p#w@h/d", {"HOST": "h", "PASSWORD": "p#w", "NAME": "d"}, {}),
        ("postgresql://u@%2Fvar%2Frun%2Fpg/d", {"HOST": "/var/run/pg", "NAME": "d"}, {}),
        ("postgresql:///d?host=/tmp&port=6", {"HOST": "/tmp", "PORT": "6", "NAME": "d"}, {}),
        ("postgres://u@a:1,b:2/d", {"HOST": "a,b", "PORT": "1,2", "NAME": "d"}, {}),
        ("postgresql://h/d?sslmode=require", {"HOST": "h"}, {"sslmode": "require"}),
        ("postgresql://h/d?ssl=true", {"HOST": "h"}, {"sslmode": "require"}),
        (
            "postgresql://h/d?sslmode=verify-full&sslrootcert=/ca.pem&connect_timeout=3"
            "&options=-c%20search_path%3Dstudio",
            {"HOST": "h"},
            {
                "sslmode": "verify-full",
                "sslrootcert": "/ca.pem",
                "connect_timeout": "3",
                "options": "-c search_path=studio",
            },
        ),
    ],
)
def test_a_database_with_all_that_its_url_says(
    url: str, parts: dict[str, str], options: dict[str, str]
) -> None:
    found = read(url)
    assert {name: found[name] for name in parts} == parts
    assert found["OPTIONS"] == {**options, "pool": POOL}


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mysql://u:hunter2@h/d", "must begin with postgresql://"),
        ("postgresql+psycopg://u:hunter2@h/d", "must begin with postgresql://"),
        ("postgresql://u:hunter2@h/d?sslmod=require", "sslmod"),
        ("postgresql://u:hunter2@h/d?pool_size=5", "pool_size"),
        ("postgresql://u:hunter2@h/d?sslmode=required", "sslmode must be one of"),
        ("postgresql://u:hunter2@h/d?connect_timeout=soon", "connect_timeout must be"),
        ("postgresql://u:hunter2@h/d?sslmode", "separator"),
        ("postgresql://u:hunter2@h:many/d", "its port is not a number"),
        ("postgresql://u:hunter2/more@h/d", "can't be read"),
        ("postgresql://u:hunter2%zz@h/d", "percent-encoded token"),
        ("postgresql://u:hunter2 x@h/d", "unexpected spaces"),
        ("postgresql://u@v:hunter2@h/d", "its port is not a number"),
        ("postgresql://u:p@hunter2@h/d", "its host contains @"),
        ("postgresql://u:hunter2@h/d?sslmode=require&sslmode=disable", "sslmode twice"),
        ("postgresql://u:hunter2@h/d?ssl=true&sslmode=disable", "sslmode twice"),
        ("postgresql://u:hunter2@h/d?password=other", "password twice"),
        ("postgresql://u:hunter2@h/d?host=other", "host twice"),
        ("postgresql://u:hunter2@h:5432/d?port=5433", "port twice"),
        ("postgresql://u:hunter2@h/d?dbname=other", "dbname twice"),
        ("postgresql://u:hunter2@h/d?options=a&options=b", "a parameter twice"),
    ],
)
def test_a_database_url_that_is_not_understood_stops_the_start(url: str, words: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL") as caught:
        database(url, pool=POOL)
    assert words in str(caught.value)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "same"),
    [
        ("redis://:p@h:6379/0", "redis://:p@h:6379/0"),
        ("redis://u:p%23w@h", "redis://u:p%23w@h"),
        ("rediss://h/1", "rediss://h/1?ssl_cert_reqs=required"),
        ("rediss://h?ssl_cert_reqs=CERT_NONE", "rediss://h?ssl_cert_reqs=none"),
        (
            "rediss://h?ssl_ca_certs=/ca.pem",
            "rediss://h?ssl_ca_certs=%2Fca.pem&ssl_cert_reqs=required",
        ),
    ],
)
def test_redis_over_tls_is_verified_unless_its_url_says_otherwise(url: str, same: str) -> None:
    assert redis(url) == same


def test_all_clients_verify_the_same_certificate() -> None:
    url = redis("rediss://:p@h/1?ssl_ca_certs=/ca.pem")
    of_client = Redis.from_url(url).connection_pool.connection_kwargs
    of_broker = Connection(url).ssl
    assert isinstance(of_broker, dict)
    assert of_client["ssl_cert_reqs"] == "required"
    assert of_client["ssl_ca_certs"] == of_broker["ssl_ca_certs"] == "/ca.pem"
    assert of_broker["ssl_cert_reqs"].name == "CERT_REQUIRED"


@pytest.mark.parametrize(
    "url",
    [
        "http://h",
        "unix:///tmp/redis",
        "redis://:hunter2#x@h/0",
        "redis://:hunter2/x@h/0",
        "redis://:hunter2?x@h/0",
        "redis://:hunter2@h:many/0",
        "redis://:hunter2@h/zero",
        "redis://:hunter2@h/0?socket_timeout=3",
        "redis://:hunter2@h/0?ssl_cert_reqs=required",
        "rediss://:hunter2@h/0?ssl_cert_reqs=yes",
        "rediss://:hunter2@h/0?ssl_cert_reqs=required&ssl_cert_reqs=none",
        "redis://:hunter2@[h/0",
        "redis://",
    ],
)
def test_a_redis_url_that_is_not_understood_stops_the_start(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="REDIS_URL") as caught:
        redis(url)
    assert "hunter2" not in str(caught.value)
