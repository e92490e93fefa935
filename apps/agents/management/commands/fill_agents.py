"""Fills the agent database. Safe to repeat: what is known of an agent stays."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.agents.filling import agents_fill
from apps.common.errors import ApplicationError


class Command(BaseCommand):
    help = (
        "Make an agent for each published role of a pool on each endpoint: `fill_agents general`."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("pool", help="key of a pool")
        parser.add_argument(
            "--endpoint",
            action="append",
            metavar="KEY",
            help="may be given several times; if left out, all enabled endpoints",
        )

    def handle(self, *, pool: str, endpoint: list[str] | None, **options: Any) -> None:
        try:
            filled = agents_fill(pool_key=pool, endpoints=endpoint)
        except ApplicationError as error:
            raise CommandError(error.lines()) from error
        endpoints = "endpoint" if filled.endpoints == 1 else "endpoints"
        self.stdout.write(
            f"{filled.roles} roles on {filled.endpoints} {endpoints}: {filled.agents} agents, "
            f"{filled.new} of them new."
        )
