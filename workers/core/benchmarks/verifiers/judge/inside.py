"""Forks, gives each side its work, and writes the verdict.

Standard input: a line of JSON for the child, `{"prelude", "program"}`, then one for the parent,
`{"nonce", "prelude", "tests", "entry_point"}`. Output: the nonce and `{"status", "reason"}`. With
`seconds` beside the tests, their assertions are counted one by one (`counted`).
"""

import io
import json
import os
import sys
from typing import Any

from workers.core.benchmarks.verifiers.judge.channel import short
from workers.core.benchmarks.verifiers.judge.judge_side import JudgeSide, counted, judge
from workers.core.benchmarks.verifiers.judge.program_side import run_program


def main() -> None:
    program = read_line()
    to_program, from_program = os.pipe(), os.pipe()
    if os.fork() == 0:
        os.close(to_program[1])
        os.close(from_program[0])
        try:
            run_program(to_program[0], from_program[1], program)
        finally:
            os._exit(0)
    os.close(to_program[0])
    os.close(from_program[1])
    work = read_line()
    # nothing that the program leaves there is ever imported by the tests
    sys.path[:] = [folder for folder in sys.path if not folder.startswith("/tmp")]  # noqa: S108
    output, sys.stdout, sys.stderr = sys.stdout, io.StringIO(), io.StringIO()
    side = JudgeSide(from_program[0], to_program[1])
    try:
        told = counted(side, work) if "seconds" in work else judged(side, work)
    except BaseException as error:  # hostile data of any kind is a failed program
        told = {"status": "failed", "reason": f"{type(error).__name__}: {short(error)}"}
    output.write(f"\n{work['nonce']}{json.dumps(told)}\n")
    output.flush()
    os._exit(0)


def judged(side: JudgeSide, work: dict[str, str]) -> dict[str, str]:
    status, reason = judge(side, work)
    # the program has a say in the reason; a longer one would be cut on its way out, JSON and all
    return {"status": status, "reason": reason[:600]}


def read_line() -> dict[str, Any]:
    """Read byte by byte before the fork: the rest must not be in the child's memory."""
    line = bytearray()
    while (byte := os.read(0, 1)) not in (b"", b"\n"):
        line += byte
    found: dict[str, Any] = json.loads(line)
    return found


if __name__ == "__main__":
    main()
