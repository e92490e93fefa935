"""Tries are counted for whoever makes them, and not for ever."""

import time
from typing import Any
from uuid import uuid4

import pytest
from django.test import RequestFactory
from rest_framework.request import Request

from apps.common.tries import client_address, tries_counted


def test_they_are_counted_until_the_window_ends() -> None:
    key = f"test:{uuid4()}"
    assert [tries_counted(key, seconds=1) for _ in range(3)] == [1, 2, 3]
    assert tries_counted(f"{key}:another", seconds=1) == 1
    time.sleep(1.1)
    assert tries_counted(key, seconds=1) == 1


@pytest.mark.parametrize(
    ("behind_proxy", "forwarded", "address"),
    [
        (False, "203.0.113.9", "127.0.0.1"),
        (True, "198.51.100.1, 203.0.113.9", "203.0.113.9"),
        (True, "", "127.0.0.1"),
    ],
)
def test_tries_are_counted_for_the_address_that_the_proxy_saw(
    settings: Any, behind_proxy: bool, forwarded: str, address: str
) -> None:
    settings.BEHIND_PROXY = behind_proxy
    request = RequestFactory().post("/", headers={"X-Forwarded-For": forwarded})
    assert client_address(Request(request)) == address
