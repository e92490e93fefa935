"""The untrained checkpoint: written once, left alone, mended."""

import os
import subprocess
import sys
from pathlib import Path

from workers.core.checkpoints import CONFIG_NAME, read_info
from workers.core.methods.mashost.initial import ensure_initial
from workers.core.testing.checkpoints import edit


def test_written_once_and_left_alone(tmp_path: Path) -> None:
    folder = ensure_initial(tmp_path)
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert ensure_initial(tmp_path) == folder
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before
    assert not read_info(folder, method="mashost").trained


def test_another_seed_or_damage_is_written_anew(tmp_path: Path) -> None:
    folder = ensure_initial(tmp_path)
    assert read_info(ensure_initial(tmp_path, 3)).seed == 3
    (folder / CONFIG_NAME).write_text("{")
    assert read_info(ensure_initial(tmp_path)).seed == 0


def test_trained_weights_are_never_replaced(tmp_path: Path) -> None:
    folder = ensure_initial(tmp_path)
    edit(folder, trained=True, label="somebody's work")
    ensure_initial(tmp_path, 5)
    assert read_info(folder).label == "somebody's work"


def test_a_second_start_needs_no_torch(tmp_path: Path) -> None:
    ensure_initial(tmp_path)
    program = (
        "import sys; from pathlib import Path; from workers.core.methods.mashost.initial import *; "
        "ensure_initial(Path(sys.argv[1])); print('torch' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.stdout.strip() == "False"
