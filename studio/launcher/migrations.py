"""Whether the database has this code's migrations: a stamp instead of two seconds of Django."""

from __future__ import annotations

import hashlib
from pathlib import Path

STAMP = "migrated"


def fingerprint(root: Path, url: str, *, own: bool) -> str:
    """Of every migration file, of the installed packages (they bring some), and of the database."""
    total = hashlib.sha256((root / "requirements" / "base.lock").read_bytes())
    # Our own cluster has another port at each start but is the same one.
    total.update(b"own" if own else url.encode())
    for path in sorted(root.glob("apps/*/migrations/*.py")):
        total.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes())
    return total.hexdigest()


def applied(folder: Path) -> str:
    try:
        return (folder / STAMP).read_text()
    except FileNotFoundError:
        return ""


def remember(folder: Path, value: str) -> None:
    (folder / STAMP).write_text(value)


def forget(folder: Path) -> None:
    (folder / STAMP).unlink(missing_ok=True)
