"""Runs inside the sandbox, before the model's program: limits first, then the program.

It is passed to the interpreter as text and uses only the standard library. Arguments: address space
in bytes, CPU seconds, processes, file size in bytes, and the user id to take (0: stay).
"""

import ast
import builtins
import os
import resource
import sys
import traceback
import types

PROGRAM = "/code/program.py"
NOBODY = 65_534


def become(user: int) -> None:
    """Give up root and with it every capability. A container may not know the wanted id."""
    for candidate in (user, NOBODY):
        try:
            os.setgroups([])
            os.setresgid(candidate, candidate, candidate)
            os.setresuid(candidate, candidate, candidate)
        except OSError:
            continue
        return
    sys.exit("sandbox: cannot give up root")


def limit(kind: int, value: int) -> None:
    resource.setrlimit(kind, (value, value))


class PipeEnd:
    """As much of a socket as an event loop needs to wake itself up."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def fileno(self) -> int:
        return self.descriptor

    def setblocking(self, flag: bool) -> None:
        os.set_blocking(self.descriptor, flag)

    def recv(self, size: int) -> bytes:
        return os.read(self.descriptor, size)

    def send(self, data: bytes) -> int:
        return os.write(self.descriptor, data)

    def close(self) -> None:
        os.close(self.descriptor)


def without_sockets() -> None:
    """A pair of sockets for asyncio. There are none here, but a pipe works as well."""
    import socket

    vars(socket).update(socketpair=lambda *_: tuple(map(PipeEnd, os.pipe())))


def run_program() -> None:
    """Run it as a script. If its last line is an expression, show its value."""
    with open(PROGRAM, encoding="utf-8") as file:
        text = file.read()
    tree = ast.parse(text, PROGRAM)
    if "asyncio" in text:
        without_sockets()
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        tree.body.pop()
    module = types.ModuleType("__main__")
    module.__file__ = PROGRAM
    sys.modules["__main__"] = module
    # the sandbox around this process is what makes running it safe
    exec(compile(tree, PROGRAM, "exec"), module.__dict__)  # noqa: S102
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), PROGRAM, "eval"), module.__dict__)  # noqa: S307
        if value is not None:
            print(repr(value))


def without_launcher(trace: types.TracebackType | None) -> types.TracebackType | None:
    while trace is not None and trace.tb_frame.f_code.co_filename != PROGRAM:
        trace = trace.tb_next
    return trace


def main() -> None:
    memory, seconds, processes, file_size, user = map(int, sys.argv[1:6])
    sys.argv = [PROGRAM]
    sys.path.append("/tmp")  # noqa: S108 - the sandbox's own
    if user:
        become(user)
    os.environ.clear()
    os.environ.update(HOME="/tmp", LANG="C.UTF-8")  # noqa: S108 - the sandbox's own
    vars(builtins).update(exit=sys.exit, quit=sys.exit)
    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_FSIZE, file_size)
    limit(resource.RLIMIT_NOFILE, 64)
    limit(resource.RLIMIT_SIGPENDING, 256)
    limit(resource.RLIMIT_NPROC, processes)
    limit(resource.RLIMIT_CPU, seconds)
    limit(resource.RLIMIT_AS, memory)
    try:
        run_program()
    except Exception as error:  # whatever the program raises is its result
        traceback.print_exception(error.with_traceback(without_launcher(error.__traceback__)))
        sys.exit(1)


main()
