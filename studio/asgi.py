"""The ASGI application that uvicorn serves."""

import os
from typing import cast

from django.conf import settings
from django.core.asgi import get_asgi_application

from apps.common.body_limit import Application, Uploads, limit_body

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studio.settings")

# Django's stubs describe the same interface in other words.
django = cast(Application, get_asgi_application())

from studio.uploads import may_upload  # noqa: E402  its models need the line above

application = limit_body(
    django,
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
    uploads=Uploads(
        paths=settings.UPLOAD_PATHS,
        max_bytes=settings.DATASET_MAX_BYTES + settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
        allowed=may_upload,
    ),
)
