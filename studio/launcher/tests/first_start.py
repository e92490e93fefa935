"""A small clone to start for the first time: the launcher and installers are the real ones, as are
Python, uv, npm, PostgreSQL, Redis and the web server. What they install and run is a few files.

A file `hold-STAGE` makes a stage wait in the middle of its work; `held-STAGE` says that it does.
"""

import base64
import hashlib
import io
import json
import os
import shutil
import sysconfig
import tarfile
import zipfile
from pathlib import Path

from studio.launcher.folder import ROOT

FILES = 800
"""Of the two big packages: enough for a kill to find them half installed."""

HOLD = """
import os, time
def hold(stage):
    if os.path.exists(f"{ROOT}/hold-{stage}"):
        open(f"{ROOT}/held-{stage}", "w").close()
        time.sleep(120)
"""

MANAGE = """
import os, sys
sys.path.insert(0, ROOT)
from hold import hold
if sys.argv[1] == "studio_bootstrap":
    hold("bootstrap")
    print('{"login_path": "/login/once"}')
    sys.exit()
import psycopg
from pathlib import Path
from studio.launcher.migrations import of_code
names = sorted(of_code(Path(ROOT)))
with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
    connection.execute("CREATE TABLE IF NOT EXISTS django_migrations (app text, name text)")
    for number, name in enumerate(names):
        if number == len(names) // 2:
            hold("migrate")
        connection.execute("INSERT INTO django_migrations VALUES (%s, %s)", name.split(".", 1))
"""

ASGI = """
from hold import hold
hold("web")
async def application(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"pages"})
"""

HTTP = """
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol as HeaderTimeoutProtocol
"""

VITE = """#!/usr/bin/env node
const fs = require("fs");
fs.mkdirSync("dist", { recursive: true });
fs.writeFileSync("dist/half.js", "");
const wait = fs.existsSync(`${ROOT}/hold-build`);
if (wait) fs.writeFileSync(`${ROOT}/held-build`, "");
setTimeout(() => fs.writeFileSync("dist/index.html", "pages"), wait ? 120000 : 0);
"""


def make_clone(root: Path) -> Path:
    """The clone, with a wheelhouse beside it."""
    shutil.copytree(
        ROOT / "studio" / "launcher",
        root / "studio" / "launcher",
        ignore=shutil.ignore_patterns("tests", "__pycache__"),
    )
    here = f"ROOT = {str(root)!r}\n"
    files = {
        "bin/studio": (ROOT / "bin" / "studio").read_text(),
        "studio/__init__.py": "",
        "studio/asgi.py": ASGI,
        "studio/http.py": HTTP,
        "hold.py": here + HOLD,
        "manage.py": here + MANAGE,
        "celery/__init__.py": "",
        "celery/__main__.py": "import time\ntime.sleep(600)\n",
        "requirements/base.lock": "bulk==1\ntorch==1\nlibraries==1\n",
        "requirements/installer.lock": "uv==1\n",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    _wheels(root.with_name("wheelhouse"), here)
    _pages(root / "frontend", here)
    return root


def environment(root: Path) -> dict[str, str]:
    """Only the wheelhouse and the caches beside the clone; no index, no configuration of pip."""
    node = ROOT / ".venv" / "node"
    kept = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
    return {
        **kept,
        "PATH": f"{node}{os.pathsep}{os.environ['PATH']}",
        "STUDIO_DATA_DIR": str(root.with_name("data")),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(root.with_name("wheelhouse")),
        "UV_CACHE_DIR": str(root.with_name("uv-cache")),
        "UV_NO_CONFIG": "1",
        "npm_config_cache": str(root.with_name("npm-cache")),
        "npm_config_update_notifier": "false",
    }


def _wheels(folder: Path, here: str) -> None:
    folder.mkdir()
    bulk = {f"bulk/part{number}.py": "" for number in range(FILES)}
    _wheel(folder, "bulk", {**bulk, "bulk/__init__.py": ""})
    _wheel(folder, "torch", {"torch/__init__.py": f"{here}{HOLD}hold('torch')\n"})
    # The libraries that the tests themselves run on.
    _wheel(folder, "libraries", {"libraries.pth": sysconfig.get_path("purelib") + "\n"})
    uv = Path(sysconfig.get_path("scripts")) / "uv"
    _wheel(folder, "uv", {"uv-1.data/scripts/uv": f'#!/bin/sh\nexec "{uv}" "$@"\n'})


def _wheel(folder: Path, name: str, files: dict[str, str]) -> None:
    about = f"{name}-1.dist-info"
    files = {
        **files,
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},{digest(text)},{len(text)}\n" for path, text in files.items())
    with zipfile.ZipFile(folder / f"{name}-1-py3-none-any.whl", "w") as wheel:
        for path, text in {**files, f"{about}/RECORD": f"{record}{about}/RECORD,,\n"}.items():
            wheel.writestr(path, text)


def digest(text: str) -> str:
    raw = hashlib.sha256(text.encode()).digest()
    return "sha256=" + base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _pages(folder: Path, here: str) -> None:
    folder.mkdir()
    vite = VITE.replace("const fs", f"const {here.strip()};\nconst fs", 1)
    packages = {
        "vite": {"vite.js": vite},
        "bulk": {f"part{number}.js": "" for number in range(FILES)},
    }
    listed: dict[str, dict[str, object]] = {}
    for name, files in packages.items():
        about: dict[str, object] = {"name": name, "version": "1.0.0"}
        if name == "vite":
            about["bin"] = {"vite": "vite.js"}
        _tarball(folder / f"{name}.tgz", {"package.json": json.dumps(about), **files})
        listed[f"node_modules/{name}"] = {**about, "resolved": f"file:{name}.tgz"}
    dependencies = {name: f"file:{name}.tgz" for name in packages}
    ours = {"name": "pages", "version": "1.0.0", "dependencies": dependencies}
    (folder / "package.json").write_text(json.dumps(ours))
    lock = {**ours, "lockfileVersion": 3, "requires": True, "packages": {"": ours, **listed}}
    (folder / "package-lock.json").write_text(json.dumps(lock))


def _tarball(path: Path, files: dict[str, str]) -> None:
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size, entry.mode = len(text), 0o755
            archive.addfile(entry, io.BytesIO(text.encode()))
