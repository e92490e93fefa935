"""The version of the code, which trainings note."""

import subprocess
from functools import lru_cache

from django.conf import settings


@lru_cache(maxsize=1)
def code_version() -> str:
    """The package's version with the commit: `0.1.0+g92afcc7-dirty`. An image gets its commit when
    it is built (docker/Dockerfile); a checkout asks git."""
    commit = settings.COMMIT or _of_checkout()
    return f"{settings.VERSION}+g{commit}"[:64] if commit else str(settings.VERSION)


def _of_checkout() -> str:
    """Empty if there is no commit, or no git."""
    describe = ("describe", "--always", "--dirty", "--exclude=*")
    command = ["git", "-C", str(settings.BASE_DIR), *describe]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return said.stdout.strip()
