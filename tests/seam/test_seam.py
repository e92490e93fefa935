"""What a learned method needs to move in: its folder, its family of events, its family of the
pages, and its lines in four files. A toy (`tree/`) moves into a copy of the repository."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest

from tests.processes.children import ROOT
from tests.processes.database import own_database

pytestmark = [pytest.mark.processes, pytest.mark.timeout(600)]

TREE = Path(__file__).parent / "tree"
LINES = {
    "workers/core/methods/registry.py": {
        "import SelfRefine\n": "from workers.core.methods.team_size.method import TeamSize\n",
        '    "reso": ReSo(),\n': '    "team_size": TeamSize(),\n',
    },
    "workers/core/events/__init__.py": {
        "    SubtasksPlanned,\n)\n": "from workers.core.events.team_size import SizeDrawn\n",
        '    "RunStarted",\n': '    "SizeDrawn",\n',
        "    | SubtaskAnswered\n": "    | SizeDrawn\n",
    },
    "frontend/src/families/registry.ts": {
        "from './subtasks'\n": "import { teamSize } from './team-size'\n",
        "[construction, subtasks": ", teamSize",
    },
    "pyproject.toml": {
        '    "workers.core.methods.reso",\n': '    "workers.core.methods.team_size",\n',
    },
}
"""By file, what is written behind what."""
NOT_COPIED = shutil.ignore_patterns(
    *(".git", ".venv", "node_modules", "dist", ".studio", "__pycache__", ".*_cache")
)
LEARNED = "workers/tests/tasks/test_team_size.py"
SHOWN = "src/families/team-size/tests/size-panel.test.tsx"


def test_a_method_that_learns_moves_in(tmp_path: Path) -> None:
    copied(tmp_path)
    for name, lines in LINES.items():
        write_lines(tmp_path / name, lines)
    path = f"{ROOT / '.venv' / 'node'}{os.pathsep}{os.environ['PATH']}"
    redis = urlunsplit(urlsplit(os.environ["REDIS_URL"])._replace(path="/2"))
    with own_database("seam") as url:
        environment = {**os.environ, "PATH": path, "DATABASE_URL": url, "REDIS_URL": redis}

        def succeeds(*command: str, folder: str = ".") -> None:
            done = subprocess.run(
                command,
                cwd=tmp_path / folder,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stdout

        succeeds(str(Path(sys.executable).with_name("lint-imports")))
        succeeds("npm", "run", "--silent", "generate", folder="frontend")
        succeeds(sys.executable, "manage.py", "makemigrations", "--check", "--dry-run")
        succeeds(sys.executable, "-m", "pytest", "-q", LEARNED)
        succeeds("npx", "vitest", "run", SHOWN, folder="frontend")
        # Its record would else lie among what is installed, which is shared.
        record = ("--tsBuildInfoFile", str(tmp_path / "types"))
        succeeds("npx", "tsc", "-p", "tsconfig.app.json", *record, folder="frontend")


def copied(folder: Path) -> None:
    """The repository with the toy. What is installed is shared."""
    shutil.copytree(ROOT, folder, ignore=NOT_COPIED, dirs_exist_ok=True)
    shutil.copytree(TREE, folder, dirs_exist_ok=True)
    for installed in (".venv", "frontend/node_modules"):
        (folder / installed).symlink_to(ROOT / installed)


def write_lines(file: Path, lines: Mapping[str, str]) -> None:
    text = file.read_text()
    for before, line in lines.items():
        assert text.count(before) == 1, (file, before)
        text = text.replace(before, before + line)
    file.write_text(text)
