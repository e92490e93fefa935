"""Who answers a question, as it was when the question was asked."""

from typing import Any

from django.db import models
from django.utils.functional import Promise

from apps.llms.models import Endpoint
from apps.llms.services import endpoint_as_now, endpoints_as_now

COLUMNS = (
    *("method", "method_config", "checkpoint", "endpoint_id", "endpoint_key", "endpoint_spec"),
    *("endpoint_specs", "pool_version_id", "profiles_id", "design_id", "design_version"),
)
ENDPOINTS = ("endpoint_spec", "endpoint_specs")
"""Columns that are renewed when a run continues."""


class SetUp(models.Model):
    """Columns of runs and of arms: everything that says who answers. All of it is stored as it was,
    with defaults filled in, so a later change never changes a stored run."""

    method = models.SlugField(max_length=63)
    method_config = models.JSONField(default=dict, blank=True)
    checkpoint = models.CharField(max_length=120, blank=True, default="")
    endpoint = models.ForeignKey(Endpoint, on_delete=models.SET_NULL, null=True, blank=True)
    endpoint_key = models.SlugField(max_length=63)
    endpoint_spec = models.JSONField()
    endpoint_specs = models.JSONField(default=list, blank=True)
    """Further endpoints, which the config names by key."""
    pool_version = models.ForeignKey(
        "roles.PoolVersion",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="%(class)ss",
    )
    profiles = models.ForeignKey(
        "agents.ProfileSet",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,
    )
    """The agents' own prompts and memories; None: they have none."""
    design = models.ForeignKey(
        "designs.Design",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="%(class)ss",
    )
    design_version = models.PositiveIntegerField(null=True, blank=True)
    """None: the draft as it was, or no design. The graph that runs is in `method_config`."""

    class Meta:
        abstract = True

    def set_up(self) -> dict[str, Any]:
        """The columns, for another row that answers in the same way."""
        return {name: getattr(self, name) for name in COLUMNS}

    def renew_endpoints(self, *, remedy: str | Promise) -> None:
        """Takes over the addresses, keys and permissions of today, before something continues. Does
        not save. Raises ApplicationError, as `endpoint_as_now` does."""
        spec = endpoint_as_now(self.endpoint, began=self.endpoint_spec, remedy=remedy)
        self.endpoint_spec = spec.model_dump(mode="json")
        self.endpoint_specs = endpoints_as_now(self.endpoint_specs, remedy=remedy)
