"""Fills a database with what a first user needs. Idempotent. Prints one JSON object."""

import json
import os
from datetime import timedelta
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from apps.accounts import services
from apps.llms import own_models
from apps.llms.services import endpoint_ensure
from workers.core.llm.embedded import EXTRA_BODY

EMBEDDED = {
    "name": "Embedded model",
    "model": "smollm2-135m-instruct",
    "context_length": 4_096,
    "prompt_price": 0.0,
    "completion_price": 0.0,
    "max_concurrency": 4,
    "parameters": 134_515_008,
    "parameters_from": "server",
    "extra_body": EXTRA_BODY,
    "allow_private_address": True,
}
CLI_TOKEN_NAME = "bin/studio"  # noqa: S105  a name, not a secret


class Command(BaseCommand):
    help = (
        "Create the admin, the endpoints of this machine, the role pool, and the studio's built-in "
        "tasks and checkpoints."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--login-link", action="store_true", help="also create a one-time login link"
        )
        parser.add_argument("--cli-token", action="store_true", help="also create an API token")

    def handle(self, *, login_link: bool, cli_token: bool, **options: Any) -> None:
        admin, password = services.admin_ensure()
        result: dict[str, Any] = {"admin_created": password is not None, "admin_password": password}
        self._content()
        if login_link:
            result["login_path"] = services.login_link_create(user=admin)
        if cli_token:
            admin.api_tokens.filter(name=CLI_TOKEN_NAME).delete()
            _, result["token"] = services.token_create(
                user=admin,
                name=CLI_TOKEN_NAME,
                scopes=["read", "run"],
                expires_at=timezone.now() + timedelta(days=90),
            )
        self.stdout.write(json.dumps(result))

    def _content(self) -> None:
        from apps.checkpoints.registering import checkpoints_ship
        from apps.tasks.builtin import tiny_ship

        if url := os.environ.get("STUDIO_EMBEDDED_LLM_URL"):
            endpoint_ensure(key="embedded", base_url=api_base(url), values=EMBEDDED)
        if url := os.environ.get("STUDIO_MODELS_URL"):
            endpoint_ensure(
                key=own_models.KEY,
                base_url=api_base(url),
                values=own_models.DEFAULTS,
                may_be_default=False,  # it answers in letters
            )
        if url := os.environ.get("STUDIO_LLM_URL"):
            self._external(url, os.environ.get("STUDIO_LLM_MODEL", ""))
        call_command("load_pool", stdout=self.stderr)
        tiny_ship()
        checkpoints_ship()

    def _external(self, url: str, model: str) -> None:
        """The endpoint of the server that the environment names. Its prices are not known here."""
        if not model:
            self.stderr.write(
                "STUDIO_LLM_URL is set but STUDIO_LLM_MODEL is not, so no endpoint was created. "
                "Set STUDIO_LLM_MODEL, or add the endpoint on the page."
            )
            return
        endpoint_ensure(
            key="default",
            base_url=api_base(url),
            values={
                "name": model.rsplit("/", 1)[-1],
                "model": model,
                "api_key_env": os.environ.get("STUDIO_LLM_API_KEY_ENV", ""),
                "context_length": context_length(os.environ.get("STUDIO_LLM_CONTEXT") or "4096"),
                "allow_private_address": True,
            },
        )


def context_length(text: str) -> int:
    if not text.isdecimal():
        raise CommandError(f"STUDIO_LLM_CONTEXT must be a whole number of tokens, not {text!r}.")
    return int(text)


def api_base(url: str) -> str:
    return url.rstrip("/").removesuffix("/v1") + "/v1"
