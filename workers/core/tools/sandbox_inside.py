"""Runs inside the sandbox, before the model's program: limits first, then the program.

It is passed to the interpreter as text and uses only the standard library. Its argument is the user
id to take (0: stay). Then it waits for its work on standard input, so that a sandbox can be started
before there is a program: a line with the limits (address space in bytes, CPU seconds, processes,
file size in bytes) and the length of the program in bytes, then the program. What follows is the
program's own input.

It imports little, since most of a sandbox's start is imports.
"""

import builtins
import os
import resource
import sys
from _ast import Expr, Expression, Module, PyCF_ONLY_AST

PROGRAM = "/code/program.py"
NOBODY = 65_534
ONLY_TREE: int = PyCF_ONLY_AST


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
    """A lower limit that holds already stays: it can't be raised."""
    most = resource.getrlimit(kind)[1]
    value = value if most == resource.RLIM_INFINITY else min(value, most)
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


class Source:
    """The program's loader, as far as tracebacks ask one for its lines."""

    def __init__(self, text: str) -> None:
        self.text = text

    def get_source(self, name: str) -> str:
        return self.text


def run_program(text: str) -> None:
    """Run it as a script. If its last line is an expression, show its value."""
    tree: Module = compile(text, PROGRAM, "exec", ONLY_TREE)
    if "asyncio" in text:
        without_sockets()
    last = tree.body[-1] if tree.body else None
    if isinstance(last, Expr):
        tree.body.pop()
    module = type(sys)("__main__")
    vars(module).update(__file__=PROGRAM, __loader__=Source(text))
    sys.modules["__main__"] = module
    # the sandbox around this process is what makes running it safe
    exec(compile(tree, PROGRAM, "exec"), module.__dict__)  # noqa: S102
    if isinstance(last, Expr):
        value = eval(compile(Expression(last.value), PROGRAM, "eval"), module.__dict__)  # noqa: S307
        if value is not None:
            print(repr(value))


def show(error: Exception) -> None:
    """Its traceback, without the launcher's part."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != PROGRAM:
        trace = trace.tb_next
    try:
        import traceback

        traceback.print_exception(error.with_traceback(trace))
    except Exception:  # nothing can be imported once memory or files are used up
        print(f"{type(error).__name__}: {error}", file=sys.stderr)


def read_line() -> bytes:
    """Byte by byte: the rest is not the launcher's."""
    line = b""
    while (byte := os.read(0, 1)) not in (b"", b"\n"):
        line += byte
    return line


def read_exactly(size: int) -> bytes:
    found = b""
    while len(found) < size and (part := os.read(0, size - len(found))):
        found += part
    return found


def main() -> None:
    user = int(sys.argv[1])
    sys.argv = [PROGRAM]
    sys.path.append("/tmp")  # noqa: S108 - the sandbox's own
    if user:
        become(user)
    os.environ.clear()
    os.environ.update(HOME="/tmp", LANG="C.UTF-8")  # noqa: S108 - the sandbox's own
    vars(builtins).update(exit=sys.exit, quit=sys.exit)
    work = read_line()
    if not work:
        sys.exit(0)  # it was not needed
    memory, seconds, processes, file_size, size = map(int, work.split())
    text = read_exactly(size).decode()
    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_FSIZE, file_size)
    limit(resource.RLIMIT_NOFILE, 64)
    limit(resource.RLIMIT_SIGPENDING, 256)
    limit(resource.RLIMIT_NPROC, processes)
    limit(resource.RLIMIT_CPU, seconds)
    limit(resource.RLIMIT_AS, memory)
    try:
        run_program(text)
    except Exception as error:  # whatever the program raises is its result
        show(error)
        sys.exit(1)


main()
