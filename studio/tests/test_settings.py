"""Settings that are read from the environment: a bad one stops with its name."""

import gc
import re
import secrets
from uuid import uuid4

import pytest
from django.conf import settings as conf
from django.core.exceptions import ImproperlyConfigured

from studio.settings import MOST_KEEP_DAYS, checked_url, env_float, env_int, env_secret, env_url


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
    with pytest.raises(ImproperlyConfigured, match="STUDIO_PUBLIC_URL must look like"):
        env_url("STUDIO_PUBLIC_URL")


@pytest.mark.parametrize("given", ["", "short", "x" * 31, "x" * 50, "abab" * 12])
def test_a_secret_that_can_be_guessed(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("SECRET_KEY", given)
    with pytest.raises(ImproperlyConfigured, match="SECRET_KEY can be guessed") as refused:
        env_secret("SECRET_KEY")
    assert "token_urlsafe" in str(refused.value)


@pytest.mark.parametrize("given", [secrets.token_urlsafe(48), uuid4().hex])
def test_a_secret(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("SECRET_KEY", given)
    assert env_secret("SECRET_KEY") == given


@pytest.mark.parametrize("given", ["", "-1", "3.5", "1e9", "ten", "36501", "9" * 30])
def test_a_count_that_means_nothing(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    """Else the hourly deletion and a page of the admin fail, and the start has said nothing."""
    monkeypatch.setenv("RUNS_KEEP_DAYS", given)
    with pytest.raises(ImproperlyConfigured, match="RUNS_KEEP_DAYS must be"):
        env_int("RUNS_KEEP_DAYS", 0, most=MOST_KEEP_DAYS)


@pytest.mark.parametrize("given", ["", "0", "-5", "nan", "inf", "soon"])
def test_seconds_that_mean_nothing(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("RUN_WATCHDOG_SECONDS", given)
    with pytest.raises(ImproperlyConfigured, match="RUN_WATCHDOG_SECONDS must be"):
        env_float("RUN_WATCHDOG_SECONDS", 5)


@pytest.mark.parametrize(("given", "read"), [("0", 0), (" 90 ", 90), ("36500", 36_500)])
def test_a_count(monkeypatch: pytest.MonkeyPatch, given: str, read: int) -> None:
    monkeypatch.setenv("RUNS_KEEP_DAYS", given)
    assert env_int("RUNS_KEEP_DAYS", 0, most=MOST_KEEP_DAYS) == read


def test_one_that_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STUDIO_PUBLIC_URL", raising=False)
    assert env_url("STUDIO_PUBLIC_URL") == ""


def test_the_example_for_docker_names_every_setting_with_its_default() -> None:
    code = (conf.BASE_DIR / "studio" / "settings.py").read_text()
    read = dict(re.findall(r'\benv(?:_[a-z]+)?\("([A-Z_]+)"(?:, ([\d_]+)\))?', code))
    example = (conf.BASE_DIR / "docker" / "env.example").read_text()
    named = dict(re.findall(r"^#?([A-Z_]+)=(.*)$", example, re.MULTILINE))
    assert set(read) - set(named) == set()
    numbers = {name: default.replace("_", "") for name, default in read.items() if default}
    assert len(numbers) > 15
    assert {name: named[name] for name in numbers} == numbers


def test_each_vllm_server_has_an_address() -> None:
    assert checked_url("STUDIO_VLLM_URLS", "http://gpu1:8000/") == "http://gpu1:8000"
    with pytest.raises(ImproperlyConfigured, match="STUDIO_VLLM_URLS must look like"):
        checked_url("STUDIO_VLLM_URLS", "gpu2:8000")


def test_garbage_is_collected_once_the_studio_has_started() -> None:
    assert gc.isenabled()
    assert gc.get_freeze_count() > 100_000
