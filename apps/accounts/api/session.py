"""Who the user is, and logging in and out."""

from django.conf import settings
from django.contrib.auth import login, logout
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.middleware.csrf import get_token
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts import selectors, services
from apps.accounts.models import GROUPS
from apps.accounts.permissions import may, user_of
from apps.common.serializers import valid
from apps.common.tries import client_address


class PermissionsSerializer(serializers.Serializer[dict[str, bool]]):
    run = serializers.BooleanField()
    share = serializers.BooleanField(
        help_text="May make links that open a run without an account. With `run`, a person can "
        "also list and revoke existing links, even where new ones are not allowed."
    )
    curate = serializers.BooleanField()
    admin = serializers.BooleanField()


class MeSerializer(serializers.Serializer[dict[str, object]]):
    id = serializers.UUIDField()
    username = serializers.CharField()
    groups = serializers.ListField(child=serializers.ChoiceField(choices=GROUPS))
    permissions = PermissionsSerializer()


class CsrfSerializer(serializers.Serializer[dict[str, str]]):
    token = serializers.CharField()


class LoginSerializer(serializers.Serializer[dict[str, str]]):
    username = serializers.CharField(max_length=150)
    password = serializers.CharField(max_length=1_000, trim_whitespace=False)


def me_of(request: Request) -> dict[str, object]:
    user = user_of(request)
    return {
        "id": user.id,
        "username": user.username,
        "groups": selectors.user_groups(user),
        "permissions": {
            "run": may(request, "operator"),
            "share": settings.SHARE_LINKS and may(request, "operator"),
            "curate": may(request, "curator"),
            "admin": may(request, "admin"),
        },
    }


class CsrfView(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(responses=CsrfSerializer, summary="A CSRF token for the browser")
    @method_decorator(never_cache)
    def get(self, request: Request) -> Response:
        return Response({"token": get_token(request._request)})


@method_decorator(csrf_protect, name="dispatch")
class LoginView(APIView):
    permission_classes = (AllowAny,)
    authentication_classes = ()

    @extend_schema(
        request=LoginSerializer, responses=MeSerializer, summary="Log in with a password"
    )
    def post(self, request: Request) -> Response:
        serializer = valid(LoginSerializer(data=request.data))
        user = services.login_check(
            request=request._request, address=client_address(request), **serializer.validated_data
        )
        login(request._request, user)
        request.user = user
        return Response(me_of(request))


class LogoutView(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(request=None, responses={204: None}, summary="Log out")
    def post(self, request: Request) -> Response:
        logout(request._request)
        return Response(status=status.HTTP_204_NO_CONTENT)


class MeView(APIView):
    @extend_schema(responses=MeSerializer, summary="Who am I, and what may I do")
    def get(self, request: Request) -> Response:
        return Response(me_of(request))


@never_cache
def login_once(request: HttpRequest, secret: str) -> HttpResponse:
    """Uses up a one-time link. A used or unknown link leads to the login page, which says so."""
    if request.method != "GET":
        return HttpResponse(status=405, headers={"Allow": "GET"})
    user = services.login_link_use(secret=secret)
    if user is None:
        return HttpResponseRedirect("/login?link=spent")
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    return HttpResponseRedirect("/")
