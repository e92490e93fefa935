"""The ASGI application that uvicorn serves."""

import os
import re
from typing import cast

from django.conf import settings
from django.core.asgi import get_asgi_application

from apps.common.body_limit import Application, Uploads, limit_body

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studio.settings")

# Django's stubs describe the same interface in other words.
django = cast(Application, get_asgi_application())

# Their models need the line above.
from apps.accounts.permissions import SCOPE_OF_GROUP  # noqa: E402
from studio.uploads import may_upload  # noqa: E402

application = limit_body(
    django,
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
    uploads=[
        Uploads(
            paths=re.compile(paths),
            max_bytes=max_bytes + settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
            group=group,
            scope=str(SCOPE_OF_GROUP[group]),
            allowed=may_upload,
        )
        for group, (paths, max_bytes) in settings.UPLOADS.items()
    ],
)
