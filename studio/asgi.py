"""The ASGI application served by uvicorn."""

import os
from typing import cast

from django.conf import settings
from django.core.asgi import get_asgi_application

from apps.common.body_limit import Application, limit_body

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studio.settings")

# Django's stubs describe the same interface in other words.
django = cast(Application, get_asgi_application())
application = limit_body(
    django,
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
    uploads=settings.UPLOAD_PATHS,
    upload_bytes=settings.DATASET_MAX_BYTES + settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
)
