"""LLM endpoints with their history, and the answers that they gave at temperature 0."""

from collections.abc import Collection

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from workers.core.specs import EndpointSpec


class Endpoint(models.Model):
    """An OpenAI-compatible server. An API key is never stored, only the name of its variable."""

    key = models.SlugField(max_length=63, unique=True)
    name = models.CharField(max_length=120)
    base_url = models.CharField(max_length=500)
    model = models.CharField(max_length=300)
    context_length = models.PositiveIntegerField(
        default=4_096, help_text=_("Tokens that prompt and answer may have together; at least 256.")
    )
    prompt_price = models.FloatField(
        null=True, blank=True, help_text=_("USD per million tokens; 0: free; empty: unknown.")
    )
    completion_price = models.FloatField(
        null=True, blank=True, help_text=_("USD per million tokens; 0: free; empty: unknown.")
    )
    api_key_env = models.CharField(
        max_length=100,
        blank=True,
        default="",
        help_text=_("The name of an environment variable on the server, never the key itself."),
    )
    max_concurrency = models.PositiveIntegerField(
        default=8, help_text=_("Calls that each worker process sends at once; the others wait.")
    )
    timeout_seconds = models.FloatField(
        default=120.0,
        help_text=_(
            "Seconds of silence after which a try of a call is given up. A call that waits for its "
            "turn has not begun."
        ),
    )
    native_tools = models.BooleanField(
        default=False, help_text=_("The server understands tool calls of the API.")
    )
    sees_images = models.BooleanField(
        default=False,
        help_text=_("The model sees images. Agents can then read attached pictures."),
    )
    allow_private_address = models.BooleanField(
        default=False, help_text=_("Needed for servers of this machine or your own network.")
    )
    parameters = models.BigIntegerField(
        null=True,
        blank=True,
        help_text=_(
            "How many the model has, such as 500000000 for 0.5 billion. Models below a billion "
            "read short prompts. If empty, the number is guessed from the model's name."
        ),
    )
    parameters_from = models.CharField(
        max_length=8,
        blank=True,
        default="",
        choices=[
            ("server", _("reported by the server")),
            ("person", _("entered by a person")),
            ("name", _("guessed from the model's name")),
        ],
    )
    extra_body = models.JSONField(
        _("extra request fields"),
        default=dict,
        blank=True,
        help_text=_(
            'A JSON object that is added to each request, such as {"top_p": 0.9} or '
            '{"chat_template_kwargs": {"enable_thinking": false}}. Everybody who can sign in '
            "can read it: enter no key."
        ),
    )
    enabled = models.BooleanField(default=True)
    is_default = models.BooleanField(
        default=False,
        help_text=_("Runs that name no endpoint use it. Only one endpoint is the default."),
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("key",)
        constraints = (
            models.UniqueConstraint(
                fields=("is_default",), condition=Q(is_default=True), name="endpoint_one_default"
            ),
            models.CheckConstraint(
                condition=Q(context_length__gte=256), name="endpoint_context_length_min"
            ),
            models.CheckConstraint(
                condition=Q(max_concurrency__gte=1), name="endpoint_concurrency_min"
            ),
            models.CheckConstraint(condition=Q(timeout_seconds__gt=0), name="endpoint_timeout_min"),
            models.CheckConstraint(
                condition=Q(parameters__isnull=True, parameters_from="")
                | (Q(parameters__gte=1) & ~Q(parameters_from="")),
                name="endpoint_size_has_source",
            ),
            models.CheckConstraint(
                condition=Q(prompt_price__isnull=True) | Q(prompt_price__gte=0),
                name="endpoint_prompt_price_min",
            ),
            models.CheckConstraint(
                condition=Q(completion_price__isnull=True) | Q(completion_price__gte=0),
                name="endpoint_completion_price_min",
            ),
        )

    def __str__(self) -> str:
        return self.name

    def validate_constraints(self, exclude: Collection[str] | None = None) -> None:
        """A new default is no error: the service removes the mark from the old default."""
        super().validate_constraints({*(exclude or ()), "is_default"})

    def spec(self) -> EndpointSpec:
        return EndpointSpec(**{name: getattr(self, name) for name in EndpointSpec.model_fields})


class EndpointChange(models.Model):
    """One line of an endpoint's history: who did what, and which fields it changed.

    `history` writes `fields`. The line outlives the endpoint and keeps its key.
    """

    class Kind(models.TextChoices):
        CREATED = "created", _("added")
        CHANGED = "changed", _("changed")
        DELETED = "deleted", _("deleted")

    endpoint = models.ForeignKey(
        Endpoint, on_delete=models.SET_NULL, null=True, related_name="changes"
    )
    endpoint_key = models.SlugField(max_length=63)
    kind = models.CharField(max_length=16, choices=Kind.choices)
    fields = models.JSONField(default=list)
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True
    )
    changed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-changed_at", "-id")
        indexes = (models.Index(fields=("endpoint", "-changed_at"), name="endpoint_change_newest"),)

    def __str__(self) -> str:
        return f"{self.endpoint_key}: {self.get_kind_display()}"


class CachedAnswer(models.Model):
    """`key` is `request_key` of the exact request; `payload` is what `result_to_bytes` wrote."""

    key = models.CharField(max_length=64, primary_key=True)
    payload = models.BinaryField()
    created_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.key
