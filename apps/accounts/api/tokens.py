"""Tokens for programs."""

from uuid import UUID

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts import selectors, services
from apps.accounts.models import ApiToken
from apps.accounts.permissions import user_of
from apps.common.errors import ApplicationError
from apps.common.serializers import valid


class TokenSerializer(serializers.ModelSerializer[ApiToken]):
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=ApiToken.Scope.choices), min_length=1, max_length=3
    )

    class Meta:
        model = ApiToken
        fields: tuple[str, ...] = (
            *("id", "name", "prefix", "scopes"),
            *("expires_at", "last_used_at", "created_at"),
        )
        read_only_fields = ("id", "prefix", "last_used_at", "created_at")


class NewTokenSerializer(TokenSerializer):
    secret = serializers.CharField(read_only=True)

    class Meta(TokenSerializer.Meta):
        fields = (*TokenSerializer.Meta.fields, "secret")


class TokensView(APIView):
    """A token cannot make tokens: a leaked one must not outlive its expiry."""

    @extend_schema(responses=TokenSerializer(many=True), summary="My tokens")
    def get(self, request: Request) -> Response:
        return Response(TokenSerializer(selectors.tokens_of(user_of(request)), many=True).data)

    @extend_schema(
        request=TokenSerializer,
        responses={201: NewTokenSerializer},
        summary="Make a token; its secret is shown only now",
    )
    def post(self, request: Request) -> Response:
        _refuse_token(request)
        serializer = valid(TokenSerializer(data=request.data))
        token, secret = services.token_create(user=user_of(request), **serializer.validated_data)
        body = {**TokenSerializer(token).data, "secret": secret}
        return Response(body, status=status.HTTP_201_CREATED)


class TokenView(APIView):
    @extend_schema(responses={204: None}, summary="Revoke a token")
    def delete(self, request: Request, token_id: UUID) -> Response:
        _refuse_token(request)
        if not services.token_revoke(user=user_of(request), token_id=token_id):
            raise ApplicationError(
                code="not_found",
                message=_("You have no such token."),
                remedy=_("List your tokens at /api/me/tokens."),
                status_code=status.HTTP_404_NOT_FOUND,
            )
        return Response(status=status.HTTP_204_NO_CONTENT)


def _refuse_token(request: Request) -> None:
    if isinstance(request.auth, ApiToken):
        raise ApplicationError(
            code="session_required",
            message=_("Tokens are managed in the browser, not with a token."),
            remedy=_("Log in to the studio and open “Tokens”."),
            status_code=status.HTTP_403_FORBIDDEN,
        )
