"""Who decides to which server a key of the environment is sent.

A person who edits an endpoint names both the variable and the server, so an admin must pair the
two. Others may use the pairs that existing endpoints have.
"""

from django.utils.translation import gettext as _
from yarl import URL

from apps.accounts.models import User
from apps.accounts.permissions import acts_as
from apps.common.errors import FieldError
from apps.llms.models import Endpoint


def key_refused(*, variable: str, base_url: str, by: User | None) -> FieldError | None:
    """None if the key may be sent there. `by` None is the studio itself. Call it before what is
    stored changes."""
    if not variable or by is None or acts_as(by, "admin"):
        return None
    server = _server(base_url)
    stored = Endpoint.objects.filter(api_key_env=variable).values_list("base_url", flat=True)
    if server in map(_server, stored):
        return None
    message = _(
        "Only an admin may send the key in %(variable)s to %(server)s. Ask an admin to add an "
        "endpoint with both. Then you can change it and add others."
    ) % {"variable": variable, "server": server}
    return FieldError("api_key_env", "key_not_for_this_server", message)


def _server(base_url: str) -> str:
    """Scheme, host and port: the server that gets the key."""
    return str(URL(base_url).origin())
