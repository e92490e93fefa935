"""Settings that are read from the environment: a bad one stops with its name."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from studio.settings import env_url


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("", ""),
        (" https://studio.example.org/ ", "https://studio.example.org"),
        ("http://10.0.0.7:8300", "http://10.0.0.7:8300"),
        ("https://example.org/studio/", "https://example.org/studio"),
    ],
)
def test_an_address(monkeypatch: pytest.MonkeyPatch, given: str, read: str) -> None:
    monkeypatch.setenv("STUDIO_PUBLIC_URL", given)
    assert env_url("STUDIO_PUBLIC_URL") == read


@pytest.mark.parametrize(
    "given",
    [
        "studio.example.org",
        "ftp://x",
        "https://",
        "https://x/?a=1",
        "https://x/#top",
        "https://me:secret@x",
        "https://:8300",
    ],
)
def test_what_is_no_address(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("STUDIO_PUBLIC_URL", given)
    with pytest.raises(ImproperlyConfigured, match="STUDIO_PUBLIC_URL must be like"):
        env_url("STUDIO_PUBLIC_URL")


def test_one_that_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STUDIO_PUBLIC_URL", raising=False)
    assert env_url("STUDIO_PUBLIC_URL") == ""
