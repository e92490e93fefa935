"""Write the locks again: `.venv/bin/python requirements/lock.py [--upgrade]`, after bin/studio.

A lock holds every package of one purpose with its exact version, for all Pythons and platforms the
studio runs on, so that it is installed without resolving anything. Versions already locked are
kept unless `--upgrade` is given. A lock leaves out what the locks before it have.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from studio.launcher.install.pip_settings import uv_environment  # noqa: E402

HEADER = "# Written by requirements/lock.py from {source}. Installed with --no-deps.\n"
LOCKS = {
    "base": ["base.in"],
    "dev": ["base.in", "dev.in"],
    "bench": ["base.in", "dev.in", "bench.in"],
}
# vLLM has an environment of its own, beside the studio's: it needs other versions of what both use.
GPU = ("--python-platform", "x86_64-manylinux_2_28", "--python-version", "3.12")
# torch from the package index wants CUDA; the CPU build, found first where there is one, does not.
# bin/studio installs these beside torch only when `import torch` asks for them.
CUDA = re.compile(r"(nvidia-|cuda-|triton\b)")
# Only reached from code paths of a browser or of Windows.
FOREIGN = re.compile(r"sys_platform == '(win32|emscripten)'")
# Python's own answer to "which build": the local part names one machine's build of the version.
LOCAL_VERSION = re.compile(r"(==[^\s;+]+)\+\S+")
# Needed on every platform we run on, whatever else the condition says.
ALWAYS = re.compile(r"torch==|hf-xet|psycopg-binary|sys_platform != 'emscripten'")
# Fetches models from a hub, which the studio never does; huggingface_hub works without it.
UNUSED = ("hf-xet",)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--upgrade", action="store_true", help="take the newest versions")
    options = arguments.parse_args()
    known: set[str] = set()
    for name, sources in LOCKS.items():
        pins = lock(sources=sources, keep=[] if options.upgrade else pinned(), fixed=sorted(known))
        if name == "base":
            pins |= exact(HERE / "data.in")
        write(HERE / f"{name}.lock", source=f"{sources[-1]}", pins=pins - known)
        known |= pins
    kept = () if options.upgrade else ("-c", str(HERE / "gpu.lock"))
    resolved = compiled(*GPU, *kept, str(HERE / "gpu.in"))
    pins = {LOCAL_VERSION.sub(r"\1", line) for line in resolved if line.strip()}
    write(HERE / "gpu.lock", source="gpu.in", pins=pins)


def pinned() -> list[str]:
    """Every line of the present locks."""
    paths = [HERE / f"{name}.lock" for name in LOCKS]
    return sorted({line for path in paths if path.exists() for line in lines(path)})


def lines(path: Path) -> list[str]:
    found = (line.split("#")[0].strip() for line in path.read_text().splitlines())
    return [line for line in found if line]


def lock(*, sources: list[str], keep: list[str], fixed: list[str]) -> set[str]:
    """Resolve `sources` for every Python from 3.11 on; `fixed` pins win over `keep`."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as constraints:
        constraints.write("\n".join(fixed or keep) if not keep else "\n".join({*fixed, *keep}))
        constraints.flush()
        resolved = compiled(
            *("--universal", "--python-version", "3.11", "-c", constraints.name),
            *(str(HERE / source) for source in sources),
        )
    return {pin for line in resolved if (pin := portable(line))}


def compiled(*arguments: str) -> list[str]:
    """What `uv pip compile` resolves, a pin a line."""
    python = Path(sys.executable)
    command = [str(python.with_name("uv")), "pip", "compile", "--no-annotate", "--no-header"]
    done = subprocess.run(
        [*command, "--quiet", *arguments],
        env=uv_environment(python),
        stdout=subprocess.PIPE,
        check=True,
    )
    return done.stdout.decode().splitlines()


def portable(line: str) -> str | None:
    """The pin of one resolved line, or None where the studio does not need the package."""
    name = line.split("==", maxsplit=1)[0]
    if CUDA.match(line) or name in UNUSED or not line.strip():
        return None
    if ALWAYS.search(line):
        return LOCAL_VERSION.sub(r"\1", line.split(";", maxsplit=1)[0].strip())
    return None if FOREIGN.search(line) else LOCAL_VERSION.sub(r"\1", line.strip())


def exact(path: Path) -> set[str]:
    """The pins of a list whose packages are taken without what they depend on."""
    return set(compiled("--no-deps", str(path)))


def write(path: Path, *, source: str, pins: set[str]) -> None:
    text = HEADER.format(source=source) + "".join(f"{pin}\n" for pin in sorted(pins, key=str.lower))
    path.write_text(text)
    print(f"{path.name}: {len(pins)} packages")


if __name__ == "__main__":
    main()
