"""Environments of benchmarks with packages that the studio must not have."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path


def environment(folder: Path, fill: Callable[[Path], None]) -> Path:
    """The Python of the environment `venv` in the folder. `fill` installs its packages, once."""
    made = folder / "venv"
    python, done = made / "bin" / "python", made / "whole"
    if not done.exists():
        shutil.rmtree(made, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(made)], check=True)
        fill(python)
        done.touch()
    return python


def pip(python: Path, *arguments: str) -> None:
    subprocess.run([str(python), "-m", "pip", "--quiet", *arguments], check=True)
