"""`bench`: runs one benchmark on temporary services."""

import sys

from studio.launcher.errors import USAGE, LauncherError
from studio.launcher.folder import ROOT
from studio.launcher.session import private_session


def bench(name: str, arguments: list[str]) -> int:
    """Run `python -m bench.NAME` on temporary services."""
    known = sorted(path.stem for path in (ROOT / "bench").glob("[a-z]*.py"))
    if name not in known:
        raise LauncherError(
            f"There is no benchmark “{name}”. Use one of: {', '.join(known)}.", code=USAGE
        )
    with private_session() as services:
        return services.run([sys.executable, "-m", f"bench.{name}", *arguments])
