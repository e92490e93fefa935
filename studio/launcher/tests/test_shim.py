"""What the account that root's database runs under may do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from studio.launcher.database import ACCOUNT_FOR_ROOT
from studio.launcher.process import tied

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives its rights up")
READ_AND_SEARCH = 1 << 2
"""CAP_DAC_READ_SEARCH."""


def as_account(script: str, *arguments: str) -> str:
    head = tied(9, ACCOUNT_FOR_ROOT)
    done = subprocess.run(
        [*head, "/bin/sh", "-c", script, "sh", *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_programs_in_a_folder_that_only_root_may_enter_are_found(tmp_path: Path) -> None:
    """As initdb looks for postgres: by access(), in a clone below /root."""
    closed = tmp_path / "root"
    closed.mkdir(mode=0o700)
    program = closed / "program"
    program.write_text("#!/bin/sh\necho runs\n")
    program.chmod(0o755)
    looks = "import os, sys; print(os.access(sys.argv[1], os.X_OK))"
    script = '"$1" -I -S -c "$2" "$3"; "$3"'
    assert as_account(script, sys.executable, looks, str(program)) == "True\nruns\n"


def test_it_has_no_right_of_root_but_to_read(tmp_path: Path) -> None:
    said = as_account("id -u; grep -E 'Cap(Prm|Eff)' /proc/self/status")
    user, *held = said.split("\n")[:3]
    assert user != "0"
    assert {int(line.split()[1], 16) for line in held} == {READ_AND_SEARCH}
    mine = tmp_path / "mine"
    mine.touch(mode=0o644)
    assert as_account('echo x 2>/dev/null >"$1" || echo refused', str(mine)) == "refused\n"
