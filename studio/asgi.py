"""The ASGI application served by uvicorn."""

import os

from django.conf import settings
from django.core.asgi import get_asgi_application

from apps.common.body_limit import limit_body

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studio.settings")

application = limit_body(get_asgi_application(), settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
