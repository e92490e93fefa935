"""Every setting, from the environment and checked at start. A bad one stops the start by name."""

import gc
import os
import re
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy

from studio import service_urls

# Whoever has settings has the Celery app: without it a task would go to Celery's default broker.
from studio.celery import app as celery_app  # noqa: F401
from workers.core.tools.attachments import FILE_MAX_BYTES

# A start leaves no garbage, and looking for it takes a quarter of the start. It is on again from
# StudioConfig.ready on.
gc.disable()

BASE_DIR = Path(__file__).resolve().parent.parent


def env(name: str, default: str | None = None) -> str:
    value = os.environ.get(name, default)
    if value is None:
        raise ImproperlyConfigured(
            f"{name} is not set. Start with bin/studio, which sets it, or see docker/env.example."
        )
    return value


def env_bool(name: str, default: bool) -> bool:
    value = os.environ.get(name, str(int(default))).strip().lower()
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off", ""}:
        return False
    raise ImproperlyConfigured(f"{name} must be 1 or 0, not {value!r}.")


def env_int(name: str, default: int, *, most: int = 2**63 - 1) -> int:
    value = os.environ.get(name, str(default))
    try:
        number = int(value)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} must be a whole number, not {value!r}.") from error
    if not 0 <= number <= most:
        raise ImproperlyConfigured(f"{name} must be between 0 and {most:,}, not {value}.")
    return number


def env_float(name: str, default: float) -> float:
    value = os.environ.get(name, str(default))
    try:
        number = float(value)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} must be a number, not {value!r}.") from error
    if not 0 < number < float("inf"):
        raise ImproperlyConfigured(f"{name} must be a number above 0, not {value}.")
    return number


SECRET_CHARS = 32
"""A shorter secret can be guessed. Sessions, one-time links and webhook signatures depend on it."""


def env_secret(name: str) -> str:
    value = env(name)
    if len(value) < SECRET_CHARS or len(set(value)) < 8:
        raise ImproperlyConfigured(
            f"{name} can be guessed. It needs at least {SECRET_CHARS} characters, 8 of them "
            'different. Make one:  python3 -c "import secrets; print(secrets.token_urlsafe(48))"'
        )
    return value


def env_list(name: str, default: str) -> list[str]:
    return [item.strip() for item in os.environ.get(name, default).split(",") if item.strip()]


def checked_url(name: str, value: str) -> str:
    """Without the slash at its end."""
    value = value.strip().rstrip("/")
    parts = urlsplit(value)
    more = parts.query or parts.fragment or parts.username or parts.password
    if value and (parts.scheme not in {"http", "https"} or not parts.hostname or more):
        raise ImproperlyConfigured(f"{name} must look like https://studio.example.org")
    return value


def env_url(name: str) -> str:
    """Empty if it is not set."""
    return checked_url(name, os.environ.get(name, ""))


DEBUG = env_bool("STUDIO_DEBUG", False)
SECRET_KEY = env_secret("SECRET_KEY")
ALLOWED_HOSTS = env_list("ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]")
CSRF_TRUSTED_ORIGINS = env_list("CSRF_TRUSTED_ORIGINS", "")
DATA_DIR = Path(env("STUDIO_DATA_DIR", str(BASE_DIR / ".studio")))
SHARE_LINKS = env_bool("SHARE_LINKS", True)
"""Whether people may create links that open a run without an account."""
PUBLIC_URL = env_url("STUDIO_PUBLIC_URL")
"""The address of the studio for people, without a slash at its end. Webhooks link to it."""
NAME = "MAS Studio"
VERSION = "0.1.0"
COMMIT = env("STUDIO_COMMIT", "")

DATABASE_POOL = {
    "min_size": env_int("DATABASE_POOL_MIN", 1),
    "max_size": env_int("DATABASE_POOL_MAX", 20),
    "timeout": 10,
}
DATABASES = {"default": service_urls.database(env("DATABASE_URL"), pool=DATABASE_POOL)}
REDIS_URL = service_urls.redis(env("REDIS_URL"))
CACHES = {
    "default": {
        "BACKEND": "studio.cache_serializer.SignedCache",
        "LOCATION": REDIS_URL,
        # A Redis that hangs is as good as away, and nobody waits longer for what is only kept.
        "OPTIONS": {
            "socket_timeout": 5,
            "socket_connect_timeout": 2,
            "serializer": "studio.cache_serializer.SignedSerializer",
        },
    }
}

INSTALLED_APPS = [
    "apps.common",  # its templates come before Unfold's
    "unfold.apps.BasicAppConfig",
    "studio.apps.StudioConfig",
    "studio.apps.StudioAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "rest_framework",
    "django_filters",
    "drf_spectacular",
    "csp",
    "apps.accounts",
    "apps.llms",
    "apps.corpora",
    "apps.checkpoints",
    "apps.roles",
    "apps.agents",
    "apps.tasks",
    "apps.setups",
    "apps.runs",
    "apps.training",
    "apps.evaluations",
    "apps.designs",
    "apps.home",
    "apps.live",
    "apps.webhooks",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "apps.common.compressed.compressed",
    "csp.middleware.CSPMiddleware",
    "apps.common.no_store.no_store",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "studio.urls"
ASGI_APPLICATION = "studio.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "/login"
CSRF_FAILURE_VIEW = "apps.common.error_pages.csrf_failure"

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
APPEND_SLASH = False

STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [path for path in [BASE_DIR / "frontend" / "dist"] if path.is_dir()]
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG
# Vite names them by their content. What the build compressed lies beside each and is found there.
WHITENOISE_IMMUTABLE_FILE_TEST = rf"^{STATIC_URL}assets/.+-[\w-]{{8}}\.\w+$"


def add_static_headers(headers: Any, path: str, url: str) -> None:
    """Headers for static files, which are answered before the middleware that protects pages. The
    same policy applies to the worker that holds the event stream."""
    headers["Content-Security-Policy"] = (
        "default-src 'none'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'"
    )
    headers["X-Frame-Options"] = "DENY"


WHITENOISE_ADD_HEADERS_FUNCTION = add_static_headers

# Cookies are host-only, unreadable by scripts where possible, and never sent cross-site.
HTTPS = env_bool("STUDIO_HTTPS", False)
SESSION_COOKIE_NAME = "studio_session"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = HTTPS
SESSION_COOKIE_AGE = 14 * 24 * 3600
CSRF_COOKIE_NAME = "studio_csrf"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SECURE = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_SSL_REDIRECT = HTTPS and env_bool("STUDIO_SSL_REDIRECT", True)
# Whoever checks the container asks it directly, without the proxy that has the certificate.
# So do the workers where they search and read.
SECURE_REDIRECT_EXEMPT = [r"^api/health$", r"^corpus(/|$)"]
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
BEHIND_PROXY = env_bool("STUDIO_BEHIND_PROXY", False)
if BEHIND_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "worker-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}

DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5_000
"""The admin sends every chosen row by itself, and a pool may have 2,000 roles."""
DATASET_MAX_BYTES = env_int("DATASET_MAX_BYTES", 64 * 1024 * 1024)
UPLOADS_MAX_BYTES_PER_USER = env_int("UPLOADS_MAX_BYTES_PER_USER", 500_000_000)
"""Files that one person may attach to questions in a day."""
UPLOADS = {
    "curator": (r"/api/datasets/[a-z0-9_-]{1,63}/import(?:/columns)?", DATASET_MAX_BYTES),
    "operator": (r"/api/uploads", FILE_MAX_BYTES),
}
"""Who may send a larger body, where, and the limit of the file in it. The fields of a form come in
addition."""

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "apps.accounts.authentication.TokenAuthentication",
        "apps.accounts.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["apps.accounts.permissions.IsViewer"],
    "DEFAULT_RENDERER_CLASSES": ["apps.common.renderers.OrjsonRenderer"],
    "DEFAULT_PARSER_CLASSES": ["apps.common.parsers.OrjsonParser"],
    "DEFAULT_PAGINATION_CLASS": "apps.common.pagination.NewestFirst",
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "DEFAULT_SCHEMA_CLASS": "apps.common.schema.StudioSchema",
    "EXCEPTION_HANDLER": "apps.common.error_handler.exception_handler",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}

UNFOLD = {
    "SITE_TITLE": NAME,
    "SITE_HEADER": NAME,
    "SITE_SUBHEADER": gettext_lazy("Administration"),
    "SITE_ICON": f"{STATIC_URL}favicon.svg",
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": f"{STATIC_URL}favicon.svg"}],
    "STYLES": [f"{STATIC_URL}common/admin.css"],
    "SCRIPTS": [f"{STATIC_URL}common/admin.js"],
    "COLORS": {
        # The accent of frontend/src/styles.css: 600 on light, 400 on dark.
        "primary": {
            "50": "oklch(97.5% .012 255)",
            "100": "oklch(95% .025 255)",
            "200": "oklch(90% .05 255)",
            "300": "oklch(84% .08 252)",
            "400": "oklch(76% .12 250)",
            "500": "oklch(68% .14 254)",
            "600": "oklch(50% .16 258)",
            "700": "oklch(44% .16 258)",
            "800": "oklch(38% .14 258)",
            "900": "oklch(33% .11 258)",
            "950": "oklch(26% .08 258)",
        }
    },
}

SPECTACULAR_SETTINGS = {
    "TITLE": NAME,
    "DESCRIPTION": "Build, run, inspect and compare multi-agent systems.",
    "VERSION": VERSION,
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["apps.accounts.permissions.IsViewer"],
    "COMPONENT_SPLIT_REQUEST": True,
    "SCHEMA_PATH_PREFIX": "/api",
    "ENUM_NAME_OVERRIDES": {
        "RunStatus": "apps.runs.models.Run.Status",
        "EvaluationStatus": "apps.evaluations.models.Evaluation.Status",
        "HealthStatus": ("ok", "degraded", "down"),
        "EndingKindEnum": ("training", "evaluation"),
        "DeliveryStatus": "apps.webhooks.models.Delivery.Status",
        "EndpointChangeKind": "apps.llms.models.EndpointChange.Kind",
    },
}

RUN_HEARTBEAT_SECONDS = env_float("RUN_HEARTBEAT_SECONDS", 2)
RUN_LOST_AFTER_SECONDS = env_float("RUN_LOST_AFTER_SECONDS", 15)
RUN_WATCHDOG_SECONDS = env_float("RUN_WATCHDOG_SECONDS", 5)
RUN_MAX_ATTEMPTS = 3
# Runs of people at once, over all workers: one person alone has at most half of it, two a third
# each, so that a share is free for the next person.
RUN_MAX_RUNNING = env_int("RUN_MAX_RUNNING", 64)
# Answers of all evaluations at once: a worker's other threads stay free for what people ask.
EVALUATION_MAX_ACTIVE = env_int("EVALUATION_MAX_ACTIVE", 16)
EVALUATION_TICK_SECONDS = env_float("EVALUATION_TICK_SECONDS", 5)
WEBHOOK_TICK_SECONDS = env_float("WEBHOOK_TICK_SECONDS", 5)
MOST_KEEP_DAYS = 36_500
RUNS_KEEP_DAYS = env_int("RUNS_KEEP_DAYS", 0, most=MOST_KEEP_DAYS)
"""Days that a run is kept after its end; 0 means for ever. `apps.runs.retention` has exceptions."""
RUN_MAX_ACTIVE_PER_USER = env_int("RUN_MAX_ACTIVE_PER_USER", 2_000)
EVALUATION_MAX_ACTIVE_PER_USER = env_int("EVALUATION_MAX_ACTIVE_PER_USER", 100)
TRAINING_MAX_ACTIVE_PER_USER = env_int("TRAINING_MAX_ACTIVE_PER_USER", 100)
# Answers at temperature 0 that are kept for trainings and evaluations.
ANSWERS_MAX_ROWS = env_int("ANSWERS_MAX_ROWS", 500_000)
ANSWERS_MAX_BYTES = env_int("ANSWERS_MAX_BYTES", 1_000_000_000)
STREAMS_PER_USER = env_int("STREAMS_PER_USER", 50)
EXPORTS_PER_USER = env_int("EXPORTS_PER_USER", 10)

CORPUS_DEFAULTS = env_bool("CORPUS_DEFAULTS", True)
"""Whether the corpora that come with the studio are loaded by themselves."""
CORPUS_TOKEN = salted_hmac("corpora.workers", "", secret=SECRET_KEY).hexdigest()
"""The bearer token of the studio's own workers where they search and read its corpora."""
CORPUS_URL = env_url("STUDIO_CORPUS_URL")
"""Where the workers reach this studio's corpora. Agents may read below it, private or not."""

VLLM_URLS = tuple(checked_url("STUDIO_VLLM_URLS", url) for url in env_list("STUDIO_VLLM_URLS", ""))
"""vLLM servers that trainings of language models may sample from and load adapters into."""
TRAINING_RANKS = env_int("STUDIO_TRAINING_RANKS", 1)
"""Processes, each with a GPU, that compute the updates of a training of language models."""
if TRAINING_RANKS < 1:
    raise ImproperlyConfigured("STUDIO_TRAINING_RANKS must be a number of GPUs, at least 1.")

SEARCH_URL = env_url("SEARCH_URL")
"""A service that answers SearXNG's JSON, without `/search`: what the tool `web_search` asks."""
SEARCH_ALLOW_PRIVATE = env_bool("SEARCH_ALLOW_PRIVATE", False)
"""Whether that service may have a private address."""
SEARCH_TAVILY_KEY_ENV = env("SEARCH_TAVILY_KEY_ENV", "")
"""The variable that holds Tavily's key. Tavily is asked where there is no SEARCH_URL."""
if not re.fullmatch(r"[A-Z0-9_]*", SEARCH_TAVILY_KEY_ENV):
    raise ImproperlyConfigured(
        "SEARCH_TAVILY_KEY_ENV must name a variable, such as TAVILY_API_KEY. It is not the key."
    )

CELERY_BROKER_URL = REDIS_URL
CELERY_RESULT_BACKEND = None
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = (
    False  # delivery is at most once; the watchdog and the claim make runs at least once
)
CELERY_TASK_DEFAULT_QUEUE = "inference"
CELERY_IMPORTS = (
    *("workers.tasks.corpora", "workers.tasks.embeddings", "workers.tasks.evaluation"),
    *("workers.tasks.inference", "workers.tasks.training", "workers.tasks.upkeep"),
    "workers.tasks.webhooks",
)
CELERY_TASK_ROUTES = {
    "workers.tasks.corpora.*": {"queue": "inference"},
    "workers.tasks.inference.*": {"queue": "inference"},
    "workers.tasks.evaluation.*": {"queue": "evaluation"},
    "workers.tasks.training.*": {"queue": "training"},
    "workers.tasks.upkeep.*": {"queue": "inference"},
    "workers.tasks.webhooks.*": {"queue": "inference"},
}
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_DISABLE_PREFETCH = True  # what a busy worker holds, an idle one could do
CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_connect_timeout": 2}
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # a worker outlives any outage of Redis
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULER = "studio.schedule:MemoryScheduler"
CELERY_BEAT_SCHEDULE = {
    name: {
        "task": f"workers.tasks.{name}",
        "schedule": seconds,
        "options": {"expires": seconds},
    }
    for name, seconds in (
        ("upkeep.watchdog", RUN_WATCHDOG_SECONDS),
        ("evaluation.evaluations_advance", EVALUATION_TICK_SECONDS),
        ("upkeep.trainings_watchdog", RUN_WATCHDOG_SECONDS),
        ("corpora.corpora_fill", 60.0),
        ("upkeep.answers_prune", 600.0),
        ("upkeep.runs_prune", 3_600.0),
        ("upkeep.files_prune", 3_600.0),
        ("webhooks.deliveries_sweep", 3_600.0),
    )
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname:<7} {name}: {message}", "style": "{"}},
    "filters": {"secret paths": {"()": "apps.common.secret_paths.HideSecretPaths"}},
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "stream": sys.stderr,
            "formatter": "line",
            "filters": ["secret paths"],
        }
    },
    "root": {"handlers": ["stderr"], "level": env("STUDIO_LOG_LEVEL", "INFO")},
}
