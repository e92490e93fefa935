"""Endpoints to choose from in a form."""

from apps.llms.models import Endpoint


def enabled_endpoints() -> list[tuple[str, str]]:
    """Key and name of each."""
    return list(Endpoint.objects.filter(enabled=True).values_list("key", "name"))
