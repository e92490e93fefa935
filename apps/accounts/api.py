"""Who am I, logging in and out, and tokens for programs."""

from __future__ import annotations

import uuid

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
from apps.accounts.models import GROUPS, ApiToken, SavedView
from apps.accounts.saved_views import view_delete, view_save
from apps.common.errors import ApplicationError
from apps.common.permissions import IsViewer, may, user_of


class PermissionsSerializer(serializers.Serializer[dict[str, bool]]):
    run = serializers.BooleanField()
    share = serializers.BooleanField(help_text="make links that open a run without an account")
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


class TokenSerializer(serializers.ModelSerializer[ApiToken]):
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=ApiToken.Scope.choices), min_length=1, max_length=3
    )

    class Meta:
        model = ApiToken
        fields: tuple[str, ...] = (
            "id",
            "name",
            "prefix",
            "scopes",
            "expires_at",
            "last_used_at",
            "created_at",
        )
        read_only_fields = ("id", "prefix", "last_used_at", "created_at")


class NewTokenSerializer(TokenSerializer):
    secret = serializers.CharField(read_only=True)

    class Meta(TokenSerializer.Meta):
        fields = (*TokenSerializer.Meta.fields, "secret")


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
        serializer = LoginSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        user = services.login_check(
            request=request._request,
            address=client_address(request),
            **serializer.validated_data,
        )
        login(request._request, user)
        request.user = user
        return Response(me_of(request))


def client_address(request: Request) -> str:
    """Of the browser; behind the proxy that settings trust, the last one that proxy has added. What
    stands before it came from the browser and may say anything."""
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "") if settings.BEHIND_PROXY else ""
    last = forwarded.rsplit(",", 1)[-1].strip()
    return last or request.META.get("REMOTE_ADDR", "")


class LogoutView(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(request=None, responses={204: None}, summary="Log out")
    def post(self, request: Request) -> Response:
        logout(request._request)
        return Response(status=status.HTTP_204_NO_CONTENT)


class MeView(APIView):
    permission_classes = (IsViewer,)

    @extend_schema(responses=MeSerializer, summary="Who am I, and what may I do")
    def get(self, request: Request) -> Response:
        return Response(me_of(request))


class TokensView(APIView):
    """A token cannot make tokens: a leaked one must not outlive its expiry."""

    permission_classes = (IsViewer,)

    @extend_schema(responses=TokenSerializer(many=True), summary="My tokens")
    def get(self, request: Request) -> Response:
        return Response(TokenSerializer(selectors.tokens_of(user_of(request)), many=True).data)

    @extend_schema(
        request=TokenSerializer,
        responses={201: NewTokenSerializer},
        summary="Make a token; its secret is shown this once",
    )
    def post(self, request: Request) -> Response:
        _refuse_token(request)
        serializer = TokenSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        token, secret = services.token_create(user=user_of(request), **serializer.validated_data)
        body = {**TokenSerializer(token).data, "secret": secret}
        return Response(body, status=status.HTTP_201_CREATED)


class TokenView(APIView):
    permission_classes = (IsViewer,)

    @extend_schema(responses={204: None}, summary="Revoke a token")
    def delete(self, request: Request, token_id: uuid.UUID) -> Response:
        _refuse_token(request)
        if not services.token_revoke(user=user_of(request), token_id=token_id):
            raise ApplicationError(
                code="not_found",
                message="You have no such token.",
                remedy="List your tokens at /api/me/tokens.",
                status_code=status.HTTP_404_NOT_FOUND,
            )
        return Response(status=status.HTTP_204_NO_CONTENT)


def _refuse_token(request: Request) -> None:
    if isinstance(request.auth, ApiToken):
        raise ApplicationError(
            code="session_required",
            message="Tokens are managed from the browser, not with a token.",
            remedy="Log in to the page and open “Tokens”.",
            status_code=status.HTTP_403_FORBIDDEN,
        )


class SavedViewSerializer(serializers.ModelSerializer[SavedView]):
    class Meta:
        model = SavedView
        fields = ("id", "page", "name", "query")


class SavedViewWantedSerializer(serializers.Serializer[dict[str, str]]):
    page = serializers.ChoiceField(choices=SavedView.Page.choices)
    name = serializers.CharField()
    query = serializers.CharField(help_text="of the page's address: status=failed&mine=true")


class SavedViewsView(APIView):
    permission_classes = (IsViewer,)

    @extend_schema(
        responses=SavedViewSerializer(many=True), summary="Lists as I want to see them again"
    )
    def get(self, request: Request) -> Response:
        views = user_of(request).saved_views.all()
        return Response(SavedViewSerializer(views, many=True).data)

    @extend_schema(
        request=SavedViewWantedSerializer,
        responses={201: SavedViewSerializer},
        summary="Save the filters of a list under a name, in place of what had it",
    )
    def post(self, request: Request) -> Response:
        _require_writing(request)
        wanted = SavedViewWantedSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        view = view_save(user=user_of(request), **wanted.validated_data)
        return Response(SavedViewSerializer(view).data, status=status.HTTP_201_CREATED)


class SavedViewView(APIView):
    permission_classes = (IsViewer,)

    @extend_schema(responses={204: None}, summary="Delete a saved view of mine")
    def delete(self, request: Request, view_id: uuid.UUID) -> Response:
        _require_writing(request)
        view_delete(user=user_of(request), view_id=view_id)
        return Response(status=status.HTTP_204_NO_CONTENT)


def _require_writing(request: Request) -> None:
    """Everybody has views of their own, but a token that may only read changes nothing."""
    if isinstance(request.auth, ApiToken) and set(request.auth.scopes) <= {ApiToken.Scope.READ}:
        raise ApplicationError(
            code="forbidden",
            message="This token may only read.",
            remedy="Use a token with another scope, or the page.",
            status_code=status.HTTP_403_FORBIDDEN,
        )


@never_cache
def login_once(request: HttpRequest, secret: str) -> HttpResponse:
    """Spends a one-time link. A spent or unknown one leads to the login page, which says so."""
    if request.method != "GET":
        return HttpResponse(status=405, headers={"Allow": "GET"})
    user = services.login_link_use(secret=secret)
    if user is None:
        return HttpResponseRedirect("/login?link=spent")
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    return HttpResponseRedirect("/")
