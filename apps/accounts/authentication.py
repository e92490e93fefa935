"""How a request proves who sends it: a bearer token, or the browser's session with CSRF."""

from django.utils.translation import gettext as _
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework import authentication, exceptions
from rest_framework.request import Request

from apps.accounts.models import ApiToken, User
from apps.accounts.services import token_authenticate

SessionAuthentication = authentication.SessionAuthentication


class TokenAuthentication(authentication.BaseAuthentication):
    """`Authorization: Bearer mas_…`"""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        scheme, _space, secret = authentication.get_authorization_header(request).partition(b" ")
        if scheme.lower() != b"bearer":
            return None
        token = token_authenticate(secret=secret.decode("utf-8", "replace").strip())
        if token is None:
            raise exceptions.AuthenticationFailed(
                _("The token is unknown, expired or revoked."), code="authentication_failed"
            )
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="studio"'


class TokenScheme(OpenApiAuthenticationExtension):
    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}
