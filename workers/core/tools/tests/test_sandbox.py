"""Hostile programs in the real sandbox. Every one of these must be contained, not only fail."""

import asyncio
import contextlib
import os
import platform
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from workers.core.tools import sandbox, sandbox_command, sandbox_memory, sandbox_seccomp
from workers.core.tools.base import ToolLimits, ToolResult
from workers.core.tools.sandbox import PythonSandbox, sandbox_status, warm_sandboxes
from workers.core.tools.sandbox_process import end_process

QUICK = ToolLimits(seconds=5.0)
MARK = f"sandbox of the tests in process {os.getpid()}"
"""Stands in the command lines of these tests' sandboxes."""


@pytest.fixture(params=["as it is here", "as an ordinary user"], scope="module", autouse=True)
def _privilege(request: pytest.FixtureRequest) -> Iterator[None]:
    """Both ways of building the sandbox are held to the same tests. Each is tried out once."""
    launcher = f"{sandbox_command.launcher()}\n# {MARK}\n"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sandbox_command, "launcher", lambda: launcher)
        if request.param == "as an ordinary user":
            patch.setattr(sandbox_command, "_is_root", lambda: False)
        elif os.geteuid() != 0:
            pytest.skip("the ordinary user is covered by the other parameter")
        patch.setattr(sandbox, "_status", None)
        yield


async def run(code: str, limits: ToolLimits = QUICK, stdin: str = "") -> ToolResult:
    return await PythonSandbox().run({"code": code, "stdin": stdin}, limits)


def needs_process_limit() -> None:
    if os.geteuid() == 0 and not sandbox_command._is_root():
        pytest.skip("the kernel holds root's own user id to no limit on processes")


def processes_with(marker: str) -> list[str]:
    """Command lines on this machine that contain `marker`."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = entry.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if marker in line:
            found.append(line)
    return found


def test_the_sandbox_works_here() -> None:
    ok, detail = sandbox_status()
    assert ok, detail


@pytest.mark.parametrize(
    ("code", "output"),
    [
        ("print(6 * 7)", "42"),
        ("x = 20\nx + 1", "21"),
        ("print('größe 数 🙂')", "größe 数 🙂"),
        ("import math, json, decimal, sqlite3, random\nmath.comb(5, 2)", "10"),
        ("import threading\nt = threading.Thread(target=print, args=('hi',))\nt.start()", "hi"),
        ("open('/tmp/a', 'w').write('x')\nprint(open('/tmp/a').read())", "x"),
        ("x = 1", "(the program printed nothing)"),
        ("if __name__ == '__main__':\n    print('main')", "main"),
        ("from dataclasses import *\n@dataclass\nclass A:\n    n: int\nprint(A(3))", "A(n=3)"),
        ("exit()", "(the program printed nothing)"),
        ("import fcntl\nfcntl.flock(open('/tmp/x', 'w'), fcntl.LOCK_EX)\nprint(1)", "1"),
        ("import sqlite3\nsqlite3.connect(':memory:').execute('select 5').fetchone()", "(5,)"),
        ("open('/dev/null', 'w').write('x')\nlen(open('/dev/urandom', 'rb').read(8))", "8"),
    ],
)
async def test_programs_run(code: str, output: str) -> None:
    assert await run(code) == ToolResult(True, output)


async def test_stdin_reaches_the_program() -> None:
    summed = await run("print(sum(map(int, input().split())))", stdin="3 4\n")
    assert summed == ToolResult(True, "7")
    counted = await run("print(len(open(0).read()))", stdin="é" * 300_000)
    assert counted == ToolResult(True, "300000")


async def test_large_stdin_that_nobody_reads_is_no_error() -> None:
    assert await run("print(1)", stdin="x" * 3_000_000) == ToolResult(True, "1")


async def test_traceback_shows_the_program_and_nothing_of_ours() -> None:
    result = await run("def f():\n    return 1 / 0\nf()")
    assert not result.ok
    assert 'File "/code/program.py", line 2, in f' in result.output
    assert "ZeroDivisionError" in result.output
    assert "exec(" not in result.output
    assert result.output.endswith("The program ended with exit code 1.")


async def test_syntax_errors_and_exit_codes_are_told() -> None:
    assert "was never closed" in (await run("x = (")).output
    assert (await run("import sys; sys.exit(3)")).output.endswith("exit code 3.")
    assert (await run("import sys; sys.exit('gone')")).output.startswith("gone")
    assert "SIGSEGV" in (await run("import os; os.kill(os.getpid(), 11)")).output


@pytest.mark.parametrize("arguments", [{}, {"code": ""}, {"code": 5}, {"code": "1", "stdin": 5}])
async def test_bad_arguments_are_told(arguments: dict[str, object]) -> None:
    assert not (await PythonSandbox().run(arguments, QUICK)).ok


async def test_endless_loop_is_stopped() -> None:
    began = time.monotonic()
    result = await run("while True: pass", ToolLimits(seconds=1.0))
    assert not result.ok
    assert "longer than 1 seconds" in result.output
    assert time.monotonic() - began < 4


async def test_sleeping_program_keeps_what_it_printed() -> None:
    result = await run("print('so far')\nimport time\ntime.sleep(60)", ToolLimits(seconds=0.7))
    assert result.output.startswith("so far\n")


async def test_memory_bomb_ends_in_memory_error() -> None:
    result = await run("x = bytearray(4 * 1024**3)")
    assert "MemoryError" in result.output


async def test_processes_together_are_held_to_the_memory_limit() -> None:
    code = (
        "import os, time\n"
        "for _ in range(4):\n"
        "    if os.fork() == 0:\n"
        "        x = bytearray(os.urandom(1024)) * (100 * 1024)\n"
        "        time.sleep(60)\n"
        "print('forked', flush=True)\n"
        "time.sleep(60)\n"
    )
    started = time.monotonic()
    result = await run(code, ToolLimits(seconds=20, memory_mib=256))
    assert "all its processes together held more than 256 MiB" in result.output
    assert time.monotonic() - started < 10


def denied_calls() -> dict[str, int]:
    """Of this machine, those that make the kernel hold what no process shows."""
    machine = sandbox_seccomp._MACHINES[platform.machine()]
    denied = machine.denied | sandbox_seccomp._NEW_CALLS
    names = (
        *("io_setup", "modify_ldt", "inotify_init1", "seccomp", "landlock_create_ruleset"),
        "vmsplice",
    )
    return {name: denied[name] for name in names if name in denied}


CALLS = denied_calls()


@pytest.mark.parametrize(
    "code",
    [
        "import os; os.memfd_create('hidden')",
        "import ctypes; c = ctypes.CDLL(None, use_errno=True)\n"
        "if c.shmget(0, 4096, 0o1600) < 0: raise PermissionError(ctypes.get_errno())",
        "import ctypes; c = ctypes.CDLL(None, use_errno=True)\n"
        "if c.msgget(0, 0o1600) < 0: raise PermissionError(ctypes.get_errno())",
        "import ctypes; c = ctypes.CDLL(None, use_errno=True)\n"
        "for _ in range(600):\n"  # 1.2 GiB
        "    if c.semget(0, 32000, 0o1600) < 0: raise PermissionError(ctypes.get_errno())",
        *(
            "import ctypes; c = ctypes.CDLL(None, use_errno=True)\n"
            f"if c.syscall({number}, 0, 0, 0, 0) < 0 and ctypes.get_errno() == 1:\n"
            "    raise PermissionError"
            for number in CALLS.values()
        ),
        "import os; os.setxattr('/tmp', 'user.a', b'x' * 60_000)",
        "import mmap; mmap.mmap(-1, 4096)",
        *(
            "import ctypes; c = ctypes.CDLL(None, use_errno=True)\n"
            f"if c.prctl({options}, 0, 0) < 0 and ctypes.get_errno() == 1:\n"
            "    raise PermissionError"
            # a table of futexes of 512 MiB; a process that can't be looked at; one more filter
            for options in ("78, 1, 1 << 23", "4, 0, 0", "22, 2, 0")
        ),
        *(
            "import fcntl, struct\n"
            "range_ = struct.pack('hhqqi4x', fcntl.F_WRLCK, 0, 0, 1, 0)\n"
            f"fcntl.fcntl(open('/tmp/x', 'w'), {lock}, range_)"
            for lock in sandbox_seccomp._LOCKS
        ),
    ],
)
async def test_memory_that_belongs_to_no_process_is_refused(code: str) -> None:
    result = await run(code)
    assert not result.ok
    assert "PermissionError" in result.output


@pytest.mark.parametrize(
    "makes",
    ["open(f'/tmp/{n}', 'w').close()", "os.mkdir(f'/tmp/{n}')", "os.symlink('x', f'/tmp/{n}')"],
)
async def test_files_are_limited_in_number(makes: str) -> None:
    """Empty ones take nothing of the size of /tmp, and the kernel's memory all the same."""
    code = f"import os, time\nfor n in range(10**9): {makes}"
    started = time.monotonic()
    result = await run(code, ToolLimits(seconds=60))
    assert "it kept more than 10,000 files" in result.output
    assert time.monotonic() - started < 30


async def test_files_that_are_gone_do_not_count() -> None:
    code = (
        "import os\n"
        "for n in range(12_000):\n"
        "    open(f'/tmp/{n % 6_000}', 'w').close()\n"
        "    if n % 6_000 == 5_999:\n"
        "        for each in os.listdir('/tmp'): os.remove('/tmp/' + each)\n"
        "print('done')"
    )
    assert await run(code, ToolLimits(seconds=60)) == ToolResult(True, "done")


async def test_shared_memory_without_a_file_has_no_device_either() -> None:
    assert "FileNotFoundError" in (await run("open('/dev/zero')")).output


async def test_files_can_be_mapped_and_shared() -> None:
    code = (
        "import mmap, os\n"
        "with open('/tmp/x', 'w+b') as file:\n"
        "    file.truncate(4096)\n"
        "    shared = mmap.mmap(file.fileno(), 4096)\n"
        "if os.fork() == 0: shared[:5] = b'hello'; os._exit(0)\n"
        "os.wait()\n"
        "shared[:5]"
    )
    assert await run(code) == ToolResult(True, "b'hello'")


async def test_mappings_are_limited_in_number() -> None:
    """The kernel keeps an entry for each, and one more for each process after a fork."""
    code = (
        "import ctypes, mmap, os, time\n"
        "c = ctypes.CDLL(None)\n"
        "size = 30_000 * 8192\n"
        "held = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\n"
        "start = ctypes.addressof(ctypes.c_char.from_buffer(held))\n"
        "for place in range(0, size, 8192):\n"
        "    c.mprotect(ctypes.c_void_p(start + place), 4096, 1)\n"
        "for _ in range(3): os.fork()\n"
        "time.sleep(60)"
    )
    started = time.monotonic()
    result = await run(code, ToolLimits(seconds=60))
    assert "it kept more than 10,000 mappings of memory" in result.output
    assert time.monotonic() - started < 30


def test_memory_in_swap_and_in_huge_pages_counts(tmp_path: Path) -> None:
    shown = tmp_path / "status"
    shown.write_bytes(
        b"Name:\tVmPTE: \xff\nVmPTE:\t      8 kB\nVmSwap:\t    100 kB\nHugetlbPages:\t 2048 kB\n"
    )
    assert sandbox_memory._bytes_of(str(shown), b"VmPTE:", b"HugetlbPages:") == 2056 * 1024
    assert sandbox_memory._bytes_of(str(shown), b"VmRSS:", b"VmSwap:") == 100 * 1024
    assert sandbox_memory._bytes_of(str(tmp_path / "gone"), b"VmRSS:") == 0


async def test_pages_shared_after_a_fork_count_once() -> None:
    code = (
        "import os, time\n"
        "x = bytearray(os.urandom(1024)) * (100 * 1024)\n"
        "children = []\n"
        "for _ in range(4):\n"
        "    pid = os.fork()\n"
        "    if pid == 0:\n"
        "        time.sleep(0.5); os._exit(0)\n"
        "    children.append(pid)\n"
        "for pid in children: os.waitpid(pid, 0)\n"
        "print(len(x))\n"
    )
    result = await run(code, ToolLimits(seconds=20, memory_mib=256))
    assert result.output == str(100 * 1024 * 1024)


async def test_fork_bomb_is_contained_and_leaves_nothing() -> None:
    needs_process_limit()
    code = (
        "import os\nforked = 0\n"
        "try:\n"
        "    for _ in range(500):\n"
        "        if os.fork() == 0:\n"
        "            import time; time.sleep(30)\n"
        "        forked += 1\n"
        "except OSError as error:\n"
        "    print(forked, error.strerror)\n"
    )
    began = time.monotonic()
    result = await run(code)
    assert time.monotonic() - began < 5
    forked = int(result.output.split()[0])
    assert "unavailable" in result.output
    assert 0 < forked <= sandbox_command.PROCESSES


async def test_endlessly_forking_program_dies_whole() -> None:
    needs_process_limit()
    await run(
        "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
        ToolLimits(seconds=1.0),
    )
    await gone()


async def test_background_processes_die_with_the_program() -> None:
    code = (
        "import os, signal\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "    import time; time.sleep(120)\n"
        "print('parent done')"
    )
    began = time.monotonic()
    result = await run(code, ToolLimits())
    assert "parent done" in result.output
    assert time.monotonic() - began < 60
    await gone()


async def gone() -> None:
    for _ in range(50):
        if not processes_with(MARK):
            return
        await asyncio.sleep(0.05)
    raise AssertionError(processes_with(MARK))


HOST_PATHS = (
    *("/etc/passwd", "/etc/hostname", "/proc/self/environ", "/proc/1/cmdline", "/sys/kernel"),
    *("/run", "/home", "/var", "/bin/sh", "/usr/bin/env", str(Path(__file__))),
    os.path.expanduser("~/.ssh"),
)


async def test_host_paths_do_not_exist_inside() -> None:
    result = await run(f"import os\n[p for p in {HOST_PATHS!r} if os.path.exists(p)]")
    assert result == ToolResult(True, "[]")


async def test_only_the_interpreter_is_visible() -> None:
    code = "import os\nprint(sorted(os.listdir('/')))\nprint(os.path.isdir('/code'))"
    visible = set(eval((await run(code)).output.splitlines()[0]))  # noqa: S307 - our own output
    assert visible <= {"code", "dev", "lib", "lib64", "root", "opt", "tmp", "usr", "home"}


async def test_installed_packages_are_not_importable() -> None:
    result = await run("import pydantic")
    assert "ModuleNotFoundError" in result.output
    code = "import sys, os\nprint([p for p in sys.path for _ in [0] if 'site-packages' in p])"
    assert await run(code) == ToolResult(True, "[]")


async def test_environment_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_TEST_SECRET", "hunter2")
    result = await run("import os\nprint(sorted(os.environ))")
    assert result == ToolResult(True, "['HOME', 'LANG']")


async def test_no_descriptor_but_the_three_is_open() -> None:
    code = (
        "import os\nopen_ones = []\n"
        "for n in range(256):\n"
        "    try: os.fstat(n); open_ones.append(n)\n"
        "    except OSError: pass\n"
        "open_ones"
    )
    assert await run(code) == ToolResult(True, "[0, 1, 2]")


WRITTEN_PATHS = ("/x", "/code/x", "/code/program.py", "/usr/x", "/dev/x", "/dev/shm/x", "/lib64/x")


async def test_nothing_outside_tmp_can_be_written() -> None:
    code = (
        "written = []\n"
        f"for path in {WRITTEN_PATHS!r}:\n"
        "    try: open(path, 'w').write('x'); written.append(path)\n"
        "    except OSError: pass\n"
        "written"
    )
    assert await run(code) == ToolResult(True, "[]")


async def test_standard_library_cannot_be_written() -> None:
    code = "import os\nfolder = os.path.dirname(os.__file__)\nopen(folder + '/evil.py', 'w')"
    assert "Error" in (await run(code)).output
    code = "import os\nos.mkdir(os.path.dirname(os.__file__) + '/site-packages/evil')"
    assert "Error" in (await run(code)).output


async def test_tmp_is_limited_in_size() -> None:
    code = (
        "n = 0\ntry:\n"
        "    for i in range(20):\n"
        "        with open(f'/tmp/{i}', 'wb') as f: f.write(bytes(16 << 20))\n"
        "        n += 1\n"
        "except OSError as error:\n    print(n, error.strerror)"
    )
    result = await run(code, ToolLimits(seconds=10))
    assert "No space left" in result.output
    assert int(result.output.split()[0]) <= 4


async def test_one_file_is_limited_in_size() -> None:
    result = await run("open('/tmp/x', 'wb').write(bytes(40 << 20))")
    assert not result.ok


@contextmanager
def service() -> Iterator[tuple[int, list[int]]]:
    """A TCP service on 127.0.0.1 that counts who reaches it."""
    reached: list[int] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        stop = threading.Event()

        def accept() -> None:
            while not stop.is_set():
                try:
                    server.accept()[0].close()
                    reached.append(1)
                except TimeoutError:
                    continue

        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield server.getsockname()[1], reached
        finally:
            stop.set()
            thread.join()


async def test_network_is_not_there() -> None:
    with service() as (port, reached):
        socket.create_connection(("127.0.0.1", port)).close()
        connect = f"import socket\nsocket.create_connection(('127.0.0.1', {port}), 2)"
        result = await run(connect)
        assert not result.ok
        assert "Error" in result.output
        await asyncio.sleep(0.3)
        assert reached == [1]
    outside = await run("import socket\nsocket.create_connection(('1.1.1.1', 53), 2)")
    assert "Error" in outside.output


async def test_there_are_no_sockets() -> None:
    """Their buffers are the kernel's memory, also of those that reach nobody."""
    code = (
        "import socket\nopened = []\n"
        "for name in sorted(n for n in dir(socket) if n.startswith('AF_')):\n"
        "    for make in (socket.socket, socket.socketpair):\n"
        "        try: made = make(getattr(socket, name), socket.SOCK_STREAM); opened.append(name)\n"
        "        except PermissionError: pass\n"
        "opened"
    )
    assert await run(code) == ToolResult(True, "[]")


async def test_asyncio_needs_none() -> None:
    code = (
        "import asyncio, threading\n"
        "async def main():\n"
        "    loop = asyncio.get_running_loop()\n"
        "    done = loop.create_future()\n"
        "    wake = lambda: loop.call_soon_threadsafe(done.set_result, 5)\n"
        "    threading.Thread(target=wake).start()\n"
        "    slept = await asyncio.gather(*(asyncio.sleep(0.01, n) for n in range(3)))\n"
        "    return await done + sum(slept)\n"
        "asyncio.run(main())"
    )
    assert await run(code) == ToolResult(True, "8")


PRIVILEGED_CALLS = (
    *("unshare(0x10000000)", "mount(None, b'/tmp', b'tmpfs', 0, None)", "ptrace(0, 0, 0, 0)"),
    *("setns(0, 0)", "chroot(b'/tmp')", "setuid(0)", "sethostname(b'x', 1)"),
    "umount2(b'/tmp', 2)",
)


async def test_privileged_system_calls_are_denied() -> None:
    code = "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n" + "\n".join(
        f"print(libc.{call}, ctypes.get_errno())" for call in PRIVILEGED_CALLS
    )
    # EINVAL: the user namespace does not even know root
    results = (await run(code)).output.splitlines()
    assert [r for r in results if r not in ("-1 1", "-1 22")] == []
    assert len(results) == len(PRIVILEGED_CALLS)


async def test_no_capability_is_effective_or_permitted() -> None:
    code = (
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "header = (ctypes.c_uint32 * 2)(0x20080522, 0)\ndata = (ctypes.c_uint32 * 6)()\n"
        "print(libc.capget(header, data), data[0], data[1], data[3], data[4])"
    )
    assert await run(code) == ToolResult(True, "0 0 0 0 0")


async def test_limits_cannot_be_raised() -> None:
    code = "import resource\nresource.setrlimit(resource.RLIMIT_NPROC, (4096, 4096))"
    assert not (await run(code)).ok


async def test_processes_outside_cannot_be_seen_or_signalled() -> None:
    result = await run(f"import os\nos.kill({os.getpid()}, 0)")
    assert "ProcessLookupError" in result.output


async def test_huge_output_is_cut_and_stopped() -> None:
    began = time.monotonic()
    result = await run("while True: print('x' * 1000)", ToolLimits(seconds=20, output_chars=2_000))
    assert not result.ok
    assert len(result.output) < 2_200
    assert "wrote more than 2000" in result.output
    assert time.monotonic() - began < 10


async def test_output_that_is_not_text_is_readable() -> None:
    result = await run("import sys\nsys.stdout.buffer.write(bytes(range(256)))\nNone")
    assert result.ok
    assert "\ufffd" in result.output


async def test_cancellation_ends_the_program_at_once() -> None:
    task = asyncio.create_task(run("import time\ntime.sleep(60)", ToolLimits(seconds=60)))
    await asyncio.sleep(0.5)
    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - began < 30
    await gone()


async def test_twenty_at_once_do_not_mix() -> None:
    code = "open('/tmp/x', 'w').write('{}')\nprint(open('/tmp/x').read())"
    limits = ToolLimits(seconds=30)
    results = await asyncio.gather(*(run(code.format(i), limits) for i in range(20)))
    assert [result.output for result in results] == [str(i) for i in range(20)]


async def test_a_program_knows_its_own_lines() -> None:
    code = "import inspect\ndef f():\n    return 1\nprint(inspect.getsource(f))"
    assert await run(code) == ToolResult(True, "def f():\n    return 1")


class TestWarm:
    """Sandboxes that wait for their program are as any other, and are used once."""

    async def test_each_is_used_once(self) -> None:
        code = "import os\nfound = os.listdir('/tmp')\nopen('/tmp/x', 'w').close()\nfound"
        async with warm_sandboxes(2):
            for _ in range(5):
                assert await run(code) == ToolResult(True, "[]")
            many = [f"print({n} + int(input()))" for n in range(20)]
            told = await asyncio.gather(*(run(each, stdin="1\n") for each in many))
        assert [each.output for each in told] == [str(n + 1) for n in range(20)]
        await gone()

    async def test_the_limits_are_those_of_the_call(self) -> None:
        async with warm_sandboxes(1):
            large = "x = bytearray(200 * 1024**2)"
            assert "MemoryError" in (await run(large, ToolLimits(memory_mib=64))).output
            assert (await run(large)).ok
            endless = await run("while True: pass", ToolLimits(seconds=0.5))
            assert "longer than 0.5 seconds" in endless.output
            for raised in ("NPROC", "AS", "CPU"):
                code = f"import resource\nresource.setrlimit(resource.RLIMIT_{raised}, (-1, -1))"
                assert not (await run(code)).ok

    async def test_none_is_started_before_a_program_and_none_stays(self) -> None:
        async with warm_sandboxes(3):
            assert not processes_with(MARK)
            await run("print(1)")
            assert processes_with(MARK)
        await gone()

    async def test_one_that_died_while_it_waited_is_replaced(self) -> None:
        async with warm_sandboxes(1):
            await run("print(1)")
            warm = sandbox._warm_of[asyncio.get_running_loop()]
            waiting = await warm._waiting[0]
            waiting.kill()
            await waiting.wait()
            assert await run("print(2)") == ToolResult(True, "2")

    async def test_a_cancelled_call_leaves_none(self) -> None:
        async with warm_sandboxes(2):
            task = asyncio.create_task(run("import time\ntime.sleep(60)", ToolLimits(seconds=60)))
            await asyncio.sleep(0.3)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        await gone()


async def test_none_stays_that_is_ended_while_it_starts() -> None:
    bubblewrap = sandbox_command.bubblewrap_path()
    assert bubblewrap is not None
    for number in range(20):
        process = await sandbox.start_sandbox(bubblewrap)
        await asyncio.sleep(0.002 * number)
        await asyncio.wait_for(end_process(process), 10)
        starting = asyncio.create_task(sandbox.start_sandbox(bubblewrap))
        await asyncio.sleep(0.001 * number)
        starting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await end_process(await asyncio.wait_for(starting, 10))
    await gone()


async def test_refuses_without_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "_status", None)
    monkeypatch.setattr(sandbox, "bubblewrap_path", lambda: None)
    result = await run("print(1)")
    assert not result.ok
    assert "bubblewrap is missing" in result.output


async def test_refuses_when_namespaces_are_not_permitted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'No permissions to create new namespace' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(sandbox, "_status", None)
    monkeypatch.setattr(sandbox, "bubblewrap_path", lambda: str(broken))
    result = await run("print(1)")
    assert not result.ok
    assert "can't isolate" in result.output
    assert "No permissions" in result.output
