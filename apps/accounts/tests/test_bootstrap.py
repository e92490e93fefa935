"""`studio_bootstrap`: what the first start makes, and what later starts leave alone."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from apps.accounts.models import User
from apps.checkpoints.models import Checkpoint
from apps.llms.models import Endpoint
from apps.roles.models import RolePool
from apps.tasks.models import Dataset

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _data_dir(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA_DIR = tmp_path
    for name in ("EMBEDDED_LLM_URL", "LLM_URL", "LLM_MODEL", "LLM_API_KEY_ENV", "LLM_CONTEXT"):
        monkeypatch.delenv(f"STUDIO_{name}", raising=False)


def bootstrap(**options: Any) -> tuple[dict[str, Any], str]:
    """What it printed, and what it said on standard error."""
    out, err = StringIO(), StringIO()
    call_command("studio_bootstrap", stdout=out, stderr=err, **options)
    printed: dict[str, Any] = json.loads(out.getvalue())
    return printed, err.getvalue()


def test_the_first_start_makes_everything_and_the_second_nothing(tmp_path: Path) -> None:
    first, _ = bootstrap(login_link=True, cli_token=True)
    assert first["admin_created"]
    assert first["login_path"].startswith("/login/once/")
    assert (tmp_path / "checkpoints").is_dir()
    assert Checkpoint.objects.filter(name="mashost-initial", trained=False).exists()
    version = RolePool.objects.get().version
    assert Dataset.objects.get().key == "tiny"
    assert Dataset.objects.get().tasks.count() == 36
    second, _ = bootstrap()
    assert not second["admin_created"]
    assert (User.objects.count(), RolePool.objects.get().version) == (1, version)
    assert Dataset.objects.get().tasks.count() == 36


def test_the_embedded_model_costs_nothing_and_moves_with_its_port(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("STUDIO_EMBEDDED_LLM_URL", "http://127.0.0.1:8431/v1")
    bootstrap()
    endpoint = Endpoint.objects.get()
    assert (endpoint.key, endpoint.prompt_price, endpoint.is_default) == ("embedded", 0.0, True)
    Endpoint.objects.update(name="Ours", max_concurrency=2)
    monkeypatch.setenv("STUDIO_EMBEDDED_LLM_URL", "http://127.0.0.1:8555")
    bootstrap()
    endpoint.refresh_from_db()
    assert endpoint.base_url == "http://127.0.0.1:8555/v1"
    assert (endpoint.name, endpoint.max_concurrency) == ("Ours", 2)


def test_a_server_of_ones_own_has_no_known_price(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_LLM_URL", "https://api.example.com")
    monkeypatch.setenv("STUDIO_LLM_MODEL", "org/large-model")
    monkeypatch.setenv("STUDIO_LLM_API_KEY_ENV", "EXAMPLE_API_KEY")
    monkeypatch.setenv("STUDIO_LLM_CONTEXT", "16384")
    bootstrap()
    endpoint = Endpoint.objects.get()
    assert (endpoint.key, endpoint.name, endpoint.model) == (
        *("default", "large-model"),
        "org/large-model",
    )
    assert (endpoint.prompt_price, endpoint.completion_price) == (None, None)
    assert (endpoint.api_key_env, endpoint.context_length) == ("EXAMPLE_API_KEY", 16_384)


def test_a_context_length_that_is_no_number_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_LLM_URL", "https://api.example.com")
    monkeypatch.setenv("STUDIO_LLM_MODEL", "m")
    monkeypatch.setenv("STUDIO_LLM_CONTEXT", "16k")
    with pytest.raises(CommandError, match="STUDIO_LLM_CONTEXT"):
        bootstrap()


def test_a_server_without_a_model_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_LLM_URL", "http://vllm:8000/v1")
    monkeypatch.setenv("STUDIO_LLM_MODEL", "")
    _, said = bootstrap()
    assert "STUDIO_LLM_MODEL is not" in said
    assert not Endpoint.objects.exists()
    assert RolePool.objects.exists()
