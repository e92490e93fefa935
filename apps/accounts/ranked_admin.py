"""The admin as one more interface to the services: a person's group decides, and services write."""

from collections.abc import Collection
from typing import Any, ClassVar, Generic, TypeVar

from django.contrib.admin import site
from django.db import models, transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from unfold.admin import ModelAdmin

from apps.accounts.models import User
from apps.accounts.permissions import acts_as
from apps.common.admin_conflicts import SharedAdmin
from apps.common.errors import ApplicationError

M = TypeVar("M", bound=models.Model)


class RankedAdmin(ModelAdmin):
    """Allows everything from `group` upwards. Django's permissions per model are not used."""

    group: ClassVar[str] = "admin"

    def has_module_permission(self, request: HttpRequest) -> bool:
        return acts_as(request.user, self.group)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return acts_as(request.user, self.group)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return acts_as(request.user, self.group)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return acts_as(request.user, self.group)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return acts_as(request.user, self.group)

    def get_deleted_objects(
        self, objs: Any, request: HttpRequest
    ) -> tuple[list[Any], dict[str, int], set[str], list[Any]]:
        """What is deleted with a thing, such as its history, needs no separate permission."""
        found, counts, needed, protected = super().get_deleted_objects(objs, request)
        own = {name for name in needed if name == self.opts.verbose_name}
        return found, counts, own, protected

    def page_context(self, request: HttpRequest, instance: Any) -> dict[str, Any]:
        """What the page of a stored thing shows besides its fields, for the templates."""
        return {}

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *arguments: Any, **named: Any
    ) -> HttpResponse:
        stored = named.get("obj")
        more = self.page_context(request, stored) if stored else {}
        answer: HttpResponse = super().render_change_form(
            request, {**context, **more}, *arguments, **named
        )
        return answer


class ReadOnlyAdmin(RankedAdmin):
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ServiceAdmin(SharedAdmin, RankedAdmin, Generic[M]):
    """Shows a service's refusal beside what was typed, and stores nothing."""

    kept_fields: ClassVar[tuple[str, ...]] = ()
    """Fields that only a new thing may set."""

    def get_readonly_fields(self, request: HttpRequest, obj: M | None = None) -> tuple[str, ...]:
        fields = tuple(super().get_readonly_fields(request, obj))
        return (*self.kept_fields, *fields) if obj else fields

    def save_through_service(
        self, request: HttpRequest, instance: M, changed: Collection[str]
    ) -> None:
        """`changed`: the fields that the form changed."""
        raise NotImplementedError(f"{type(self).__name__} must name its service")

    def delete_through_service(self, request: HttpRequest, instance: M) -> None:
        raise NotImplementedError(f"{type(self).__name__} must name its service")

    def save_model(self, request: HttpRequest, obj: M, form: Any, change: bool) -> None:
        """Raises ApplicationError, which rolls back the whole save."""
        _unix_lines(obj)
        self.save_through_service(request, obj, form.changed_data)

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, *arguments: Any, **named: Any
    ) -> HttpResponse:
        """Keeps what was refused in the form, with the reason."""
        try:
            return super().changeform_view(request, object_id, *arguments, **named)
        except ApplicationError as error:
            vars(request)["refused"] = error  # for `get_form`
        return super().changeform_view(request, object_id, *arguments, **named)

    def get_form(self, request: HttpRequest, *arguments: Any, **named: Any) -> type[Any]:
        form: type[Any] = super().get_form(request, *arguments, **named)
        refused: ApplicationError | None = getattr(request, "refused", None)
        return _refusing(form, refused) if refused else form

    def delete_model(self, request: HttpRequest, obj: M) -> None:
        self.delete_through_service(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: models.QuerySet[M]) -> None:
        with transaction.atomic():
            for instance in queryset:
                self.delete_through_service(request, instance)


def page_added(model: type[models.Model], page: Any) -> None:
    """Adds a page of an app above to the admin of a model: `page` has it as a method, and names it
    in its `actions_detail`. For modules that Django loads after the model's own admin."""
    own: Any = type(site.get_model_admin(model))
    actions = (*(own.actions_detail or ()), *page.actions_detail)
    site.unregister(model)
    site.register(model, type(own.__name__, (page, own), {"actions_detail": actions}))


def _refusing(form: type[Any], refused: ApplicationError) -> type[Any]:
    """The form, made invalid because a service refused what was sent."""

    class Refusing(form):
        def clean(self) -> Any:
            cleaned = super().clean()
            told = {"message": refused.message, "remedy": refused.remedy}
            self.add_error(None, _("Not saved. %(message)s %(remedy)s") % told)
            for field in refused.fields:
                if field.field in self.fields:
                    self.add_error(field.field, field.message)
            return cleaned

    return Refusing


def _unix_lines(instance: models.Model) -> None:
    """A form sends CRLF, which would make a new version of an unchanged text."""
    for field in instance._meta.concrete_fields:
        if isinstance(field, models.TextField):
            text = getattr(instance, field.attname)
            setattr(instance, field.attname, text.replace("\r\n", "\n"))


def user_of(request: HttpRequest) -> User | None:
    return request.user if isinstance(request.user, User) else None
