"""Who decides which server a key of the environment is sent to.

A person who edits an endpoint names both the variable and the server. So an admin pairs the two.
Others may use the pairs that endpoints have already.
"""

from __future__ import annotations

from django.utils.translation import gettext as _
from yarl import URL

from apps.accounts.models import User
from apps.common.errors import FieldError
from apps.common.permissions import acts_as
from apps.llms.models import Endpoint


def key_refused(*, variable: str, base_url: str, by: User | None) -> FieldError | None:
    """None where the key may be sent there. `by` None is the studio itself. Call it before what is
    stored changes."""
    if not variable or by is None or acts_as(by, "admin"):
        return None
    server = _server(base_url)
    stored = Endpoint.objects.filter(api_key_env=variable).values_list("base_url", flat=True)
    if server in map(_server, stored):
        return None
    message = _(
        "Only an admin may have the key in %(variable)s sent to %(server)s. Ask an admin to add an "
        "endpoint with both; then you can change it and add others."
    ) % {"variable": variable, "server": server}
    return FieldError("api_key_env", "key_not_for_this_server", message)


def _server(base_url: str) -> str:
    """Scheme, host and port: who answers there has the key."""
    return str(URL(base_url).origin())
