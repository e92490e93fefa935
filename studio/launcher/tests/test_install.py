"""What is installed, when it is installed again, and with whose settings."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from studio.launcher.console import Job
from studio.launcher.errors import LauncherError
from studio.launcher.folder import ROOT
from studio.launcher.install import NEEDS, installing, needs
from studio.launcher.install.interface import Interface, complaint
from studio.launcher.install.packages import Packages, pins, reason
from studio.launcher.install.pip_settings import translate
from studio.launcher.install.programs import Done, Programs
from studio.launcher.tests.conftest import alive, eventually

LOCKS = ("base", "dev", "bench")
PIN = re.compile(r"^[A-Za-z0-9._-]+==[^\s;]+( ; [^;]+)?$")


def test_every_line_of_every_lock_is_an_exact_version() -> None:
    for name in (*LOCKS, "installer", "node"):
        for line in pins(ROOT / "requirements" / f"{name}.lock"):
            assert PIN.match(line), f"{name}.lock: {line}"


def test_the_locks_share_no_package_and_bring_no_cuda() -> None:
    names = [
        name
        for lock in LOCKS
        # Two versions of one package are for different Pythons.
        for name in {
            pin.split("==")[0].lower() for pin in pins(ROOT / "requirements" / f"{lock}.lock")
        }
    ]
    assert len(names) == len(set(names))
    assert not [name for name in names if name.startswith(("nvidia", "cuda", "triton"))]


def test_every_package_named_in_an_in_file_is_locked() -> None:
    for source, lock in (("base", "base"), ("data", "base"), ("dev", "dev"), ("bench", "bench")):
        locked = {normal(pin) for pin in pins(ROOT / "requirements" / f"{lock}.lock")}
        for line in pins(ROOT / "requirements" / f"{source}.in"):
            assert normal(line) in locked, f"{line} of {source}.in is not in {lock}.lock"


def normal(requirement: str) -> str:
    name = re.split(r"[\[=<>!~ ;]", requirement, maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


def test_pip_settings_reach_uv_with_pips_precedence() -> None:
    listing = r"""
:env:.cert='/etc/ssl/here.crt'
:env:.no-color='1'
global.cert='/etc/ssl/there.crt'
global.extra-index-url='https://one.example/simple\nhttps://two.example/simple'
global.find-links='/a /b'
global.index-url=''
install.find-links='/c'
download.timeout='3'
"""
    assert translate(listing) == {
        "SSL_CERT_FILE": "/etc/ssl/here.crt",
        "UV_EXTRA_INDEX_URL": "https://one.example/simple https://two.example/simple",
        "UV_FIND_LINKS": "/c",
    }


def clone(folder: Path) -> Packages:
    """The part of a clone that stamps look at, with everything installed."""
    (folder / "requirements").mkdir()
    for lock in LOCKS:
        (folder / "requirements" / f"{lock}.lock").write_text(f"{lock}==1\n")
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "bin" / "python").symlink_to(sys.executable)
    packages = Packages(folder)
    for lock in LOCKS:
        (folder / ".venv" / f"{lock}.stamp").write_text(packages._wanted(lock))
    return packages


def test_nothing_is_installed_twice_but_a_changed_lock_and_all_for_another_python(
    tmp_path: Path,
) -> None:
    packages = clone(tmp_path)
    assert not packages.stale(LOCKS)
    (tmp_path / "requirements" / "dev.lock").write_text("dev==2\n")
    assert packages.stale(("base", "dev"))
    assert not packages.stale(("base",))
    packages.python.unlink()
    packages.python.symlink_to("/opt/python-that-was/bin/python3")
    assert packages.stale(("base",))


def test_an_interrupted_or_moved_installation_is_made_again(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    clone(first)
    first.rename(second)
    assert Packages(second).stale(("base",))
    (second / ".venv" / "base.stamp").unlink()
    assert Packages(second).stale(("base",))


def test_an_environment_that_is_not_whole_is_of_no_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec("pip")
    assert found is not None
    assert found.origin is not None
    pip = tmp_path / "lib" / "pip"
    shutil.copytree(Path(found.origin).parent, pip)
    monkeypatch.setenv("PYTHONPATH", str(pip.parent))
    made = clone(tmp_path)
    assert made._usable()  # also of an older version, which had no stamp for the environment
    for stamp in made.folder.glob("*.stamp"):
        stamp.unlink()
    assert not made._usable()
    made._stamp("made").touch()
    assert made._usable()
    (pip / "_internal" / "cli" / "main_parser.py").unlink()
    assert not made._usable()


def test_a_shared_environment_is_one_installation(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        (folder / "frontend").mkdir(parents=True)
    clone(first)
    shutil.copytree(first / "requirements", second / "requirements")
    (second / ".venv").symlink_to(first / ".venv")
    assert not Packages(second).stale(LOCKS)
    with installing(first) as programs:
        assert len(programs.locks) == 2
        code = f"""
import fcntl, os, sys
sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from studio.launcher.install import installing
with installing(Path({str(second)!r})):
    print("in", flush=True)
"""
        other = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        assert other.stdout is not None
        assert other.stdout.readline().startswith("Another bin/studio is installing here")
        assert other.poll() is None
    assert other.communicate(timeout=30)[0].strip() == "in"


@pytest.mark.parametrize(
    "missing", ["node_modules/b/package.json", "node_modules/.package-lock.json"]
)
def test_npm_packages_that_are_not_there_are_installed_again(tmp_path: Path, missing: str) -> None:
    interface = Interface(tmp_path, Builds())
    for name in ("a", "b", "b/node_modules/c"):
        (interface.modules / name).mkdir(parents=True)
        (interface.modules / name / "package.json").write_text("{}")
    listed: dict[str, object] = {
        f"node_modules/{name}": {} for name in ("a", "b", "b/node_modules/c")
    }
    (interface.modules / ".package-lock.json").write_text(json.dumps({"packages": listed}))
    for name in ("package.json", "package-lock.json"):
        (interface.folder / name).write_text("{}")
    assert interface._install({}, Job("pages"))
    assert not interface._install({}, Job("pages"))
    (interface.folder / missing).unlink()
    gone = missing.removesuffix("/package.json")
    with pytest.raises(LauncherError, match=f"npm installed .* but {gone} is missing"):
        interface._install({}, Job("pages"))


def test_programs_end_with_their_helpers() -> None:
    programs = Programs()
    family = "import os, time; print(os.getpid(), os.fork(), flush=True); time.sleep(60)"
    heard: list[str] = []
    thread = threading.Thread(
        target=lambda: programs.run([sys.executable, "-c", family], heard=heard.append)
    )
    thread.start()
    assert eventually(lambda: len(heard) == 2)
    programs.end()
    thread.join(timeout=10)
    assert not thread.is_alive()
    for number in {int(line.split()[0]) for line in heard}:
        assert eventually(lambda: not alive(number), seconds=5)  # noqa: B023 - asked at once
    with pytest.raises(LauncherError, match="Stopped"):
        programs.run(["true"])


KILLED = """
import sys, time
sys.path.insert(0, ROOT)
from studio.launcher.install.programs import Programs
# A helper that closes what it inherits, as those of `python -m venv` do, and outlives its parent.
helper = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
program = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"
heard = lambda line: print(line, flush=True)
Programs().run([sys.executable, "-c", program, helper], heard=heard)
"""


def test_a_kill_of_the_command_ends_helpers_of_its_programs() -> None:
    command = subprocess.Popen(
        [sys.executable, "-c", KILLED.replace("ROOT", repr(str(ROOT)))],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert command.stdout is not None
    helper = int(command.stdout.readline())
    assert alive(helper)
    command.kill()
    command.wait()
    assert eventually(lambda: not alive(helper), seconds=10)


def test_what_a_program_says_is_kept_with_its_code(tmp_path: Path) -> None:
    done = Programs().run(["sh", "-c", "pwd; echo no >&2; exit 3"], folder=tmp_path)
    assert (done.code, done.text) == (3, f"{tmp_path}\nno")


def test_pages_are_built_again_when_a_source_changes(tmp_path: Path) -> None:
    folder = tmp_path / "frontend"
    for place in ("src", "dist", "node_modules"):
        (folder / place).mkdir(parents=True)
    (folder / "package.json").write_text("{}")
    (folder / "src" / "main.tsx").write_text("one")
    (folder / "dist" / "index.html").write_text("built")
    interface = Interface(tmp_path)
    interface._build_stamp().write_text(interface._sources())
    assert not interface.stale()
    (folder / "node_modules" / "anything").write_text("not a source")
    assert not interface.stale()
    (folder / "src" / "main.tsx").write_text("two")
    assert interface.stale()


def test_what_a_build_replaces_stays_for_a_week_for_a_studio_that_is_up(tmp_path: Path) -> None:
    dist = tmp_path / "frontend" / "dist"
    (dist / "assets").mkdir(parents=True)
    files = {"index.html": 30, "assets/served.js": 30, "assets/gone.js": 38}
    for name, days in files.items():
        (dist / name).write_text(name)
        since = time.time() - days * 24 * 3_600
        os.utime(dist / name, (since, since))
    Interface(tmp_path, Builds())._vite({})
    assert {path.name for path in (dist / "assets").iterdir()} == {"served.js"}
    assert "emptyOutDir: false" in (ROOT / "frontend" / "vite.config.ts").read_text()


class Builds(Programs):
    def run(self, command: Sequence[str], **_: Any) -> Done:
        return Done(0, [])


def test_the_sentence_of_an_installer_is_found_in_its_noise() -> None:
    said = ["Resolved 3", "error: Failed to fetch wheel", "  cause: connection refused"]
    assert reason(said) == "error: Failed to fetch wheel cause: connection refused"
    assert reason(["no marks", "only this"]) == "only this"
    assert (
        complaint(
            "npm error code ENOTEMPTY\nnpm error syscall rmdir\nnpm error path /a/b\n"
            "npm error ENOTEMPTY: directory not empty, rmdir '/a/b'\n"
            "npm error A complete log of this run can be found in: /a/log\n"
        )
        == "ENOTEMPTY: directory not empty, rmdir '/a/b'"
    )
    assert complaint("npm error code ECONNREFUSED\nnpm error network request to X failed\n") == (
        "network request to X failed"
    )
    vite = "\x1b[31merror during build:\nError [ERR_MODULE_NOT_FOUND]: Cannot find package 'a'\n"
    assert (
        complaint(vite)
        == "error during build: Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'a'"
    )
    npm = "npm error code EUSAGE\nnpm error `npm ci` can only install packages when in sync.\n"
    assert complaint(npm) == "`npm ci` can only install packages when in sync."


def test_a_benchmark_installs_no_more_than_it_needs() -> None:
    assert needs("bench", ["policy"]) == (("base",), False)
    assert needs("bench", ["overhead"]) == (("base", "dev", "bench"), False)
    for name in ("rollouts", "vllm"):
        assert needs("bench", [name]) == (("base", "dev"), False)
    benches = {path.stem: path.read_text() for path in (ROOT / "bench").glob("*.py")}
    browsed = [name for name, source in benches.items() if "bench.common.pages" in source]
    assert len(browsed) >= 3
    for name in browsed:
        assert needs("bench", [name]) == (("base", "dev"), True)
    assert set(NEEDS) == {
        *("up", "ask", "test", "check", "bench", "login", "manage", "backup", "restore")
    }


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone as it was fetched, as far as help and mistakes go."""
    root = tmp_path_factory.mktemp("bare")
    ignored = shutil.ignore_patterns("tests", "__pycache__")
    shutil.copytree(ROOT / "studio" / "launcher", root / "studio" / "launcher", ignore=ignored)
    shutil.copytree(ROOT / "bin", root / "bin")
    (root / "studio" / "__init__.py").touch()
    return root


@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        ("", 2, "bin/studio up"),
        ("--help", 0, "bin/studio up"),
        ("--version", 0, "MAS Studio 0."),
        ("ask --help", 0, "usage: bin/studio ask"),
        ("ask", 2, "required: question"),
        ("ask why --colour", 2, "unknown arguments: --colour"),
        ("up --port many", 2, "invalid int value: 'many'"),
        ("begin", 2, "There is no command “begin”"),
        ("status", 4, "MAS Studio is not running"),
        ("stop", 0, "MAS Studio is not running"),
    ],
)
def test_help_and_mistakes_need_and_install_no_package(
    bare: Path, line: str, code: int, says: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", "bin/studio", *line.split()],
        cwd=bare,
        env={"PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code
    assert says in done.stdout + done.stderr
    assert not (bare / ".venv").exists()


BOOTSTRAP = """
import runpy, sys
sys.version_info = (3, 9, 1, "final", 0)
sys.argv = ["bin/studio", "up"]
runpy.run_path("bin/studio", run_name="__main__")
"""


def test_an_old_python_is_told_what_is_needed() -> None:
    done = subprocess.run(
        [sys.executable, "-c", BOOTSTRAP],
        cwd=ROOT,
        env={"PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("MAS Studio needs Python 3.11 or newer; this is 3.9 ")
    assert len(done.stderr.splitlines()) == 1
