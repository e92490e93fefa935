"""The system calls that a sandboxed program may not make, as a seccomp filter for bubblewrap.

It is a deny list. It denies calls that open kernel attack surface or new namespaces, and calls that
make the kernel use memory that no process shows (semaphore sets, messages, asynchronous I/O,
descriptor tables, notifications, extended attributes, rules, locks on ranges of files, socket
buffers, shared anonymous memory, pages given to pipes, tables of futexes). The namespaces, the
missing capabilities and the limits already bound everything else. Denied calls return EPERM.
`clone3` returns ENOSYS, so the C library falls back to `clone`, whose flags a filter can read.
"""

import errno
import platform
import struct
from dataclasses import dataclass

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCH_AT, _ARG0_AT, _ARG1_AT, _ARG3_AT = 0, 4, 16, 24, 40
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NEW_NAMESPACES = 0x7E020080
"""CLONE_NEWTIME | NEWNS | NEWCGROUP | NEWUTS | NEWIPC | NEWUSER | NEWPID | NEWNET."""
_LOCKS = (6, 7, 37, 38)
"""F_SETLK, F_SETLKW and their F_OFD_ variants: a process may lock any number of ranges of a file.
An `flock` locks a whole file, and few files may be open."""
_PRCTL = (1, 2, 3, 15, 16)
"""The only options of prctl: the signal at the parent's death, whether it is dumpable (read only),
and the name. Others hide a process from the worker, or make the kernel use memory
(PR_FUTEX_HASH: a GiB in one call)."""
_SHARED, _ANONYMOUS = 0x01, 0x20
"""Flags of mmap. Both at once make memory that stays after a process has unmapped nearly all of it.
Shared files are fine: they count in /tmp."""
_X32_CALLS = 0x40000000


_CLONE3 = 435
_NEW_CALLS = {
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsmount": 432,
    "pidfd_getfd": 438,
    "mount_setattr": 442,
    "landlock_create_ruleset": 444,
    "memfd_secret": 447,
    "setxattrat": 463,
}
"""Denied everywhere. Since Linux 5.1 a new call has the same number on every machine."""


@dataclass(frozen=True, slots=True)
class _Machine:
    """`audit`: the AUDIT_ARCH constant. `denied`: call numbers from the kernel's tables."""

    audit: int
    clone: int
    fcntl: int
    mmap: int
    prctl: int
    denied: dict[str, int]


_X86_64 = _Machine(
    audit=0xC000003E,
    clone=56,
    fcntl=72,
    mmap=9,
    prctl=157,
    denied={
        "socket": 41,
        "socketpair": 53,
        "semget": 64,
        "modify_ldt": 154,
        "setxattr": 188,
        "lsetxattr": 189,
        "fsetxattr": 190,
        "io_setup": 206,
        "inotify_init": 253,
        "vmsplice": 278,
        "inotify_init1": 294,
        "fanotify_init": 300,
        "seccomp": 317,
        "ptrace": 101,
        "syslog": 103,
        "personality": 135,
        "pivot_root": 155,
        "chroot": 161,
        "mount": 165,
        "umount2": 166,
        "init_module": 175,
        "delete_module": 176,
        "kexec_load": 246,
        "add_key": 248,
        "request_key": 249,
        "keyctl": 250,
        "shmget": 29,
        "msgget": 68,
        "mq_open": 240,
        "memfd_create": 319,
        "unshare": 272,
        "perf_event_open": 298,
        "open_by_handle_at": 304,
        "setns": 308,
        "process_vm_readv": 310,
        "process_vm_writev": 311,
        "finit_module": 313,
        "kexec_file_load": 320,
        "bpf": 321,
        "userfaultfd": 323,
    },
)

_AARCH64 = _Machine(
    audit=0xC00000B7,
    clone=220,
    fcntl=25,
    mmap=222,
    prctl=167,
    denied={
        "io_setup": 0,
        "setxattr": 5,
        "lsetxattr": 6,
        "fsetxattr": 7,
        "inotify_init1": 26,
        "vmsplice": 75,
        "semget": 190,
        "socket": 198,
        "socketpair": 199,
        "fanotify_init": 262,
        "seccomp": 277,
        "umount2": 39,
        "mount": 40,
        "pivot_root": 41,
        "chroot": 51,
        "personality": 92,
        "mq_open": 180,
        "msgget": 186,
        "shmget": 194,
        "memfd_create": 279,
        "unshare": 97,
        "kexec_load": 104,
        "init_module": 105,
        "delete_module": 106,
        "syslog": 116,
        "ptrace": 117,
        "add_key": 217,
        "request_key": 218,
        "keyctl": 219,
        "perf_event_open": 241,
        "open_by_handle_at": 265,
        "setns": 268,
        "process_vm_readv": 270,
        "process_vm_writev": 271,
        "finit_module": 273,
        "bpf": 280,
        "userfaultfd": 282,
        "kexec_file_load": 294,
    },
)

_MACHINES = {"x86_64": _X86_64, "aarch64": _AARCH64}


def seccomp_filter() -> bytes | None:
    """The BPF program for this machine, as bubblewrap reads it; None for an unknown machine."""
    machine = _MACHINES.get(platform.machine())
    return _program(machine) if machine else None


def _program(machine: _Machine) -> bytes:
    """Jump distances count the skipped instructions."""
    eperm = _ERRNO | errno.EPERM
    code = [(_LOAD, 0, 0, _ARCH_AT), (_EQUAL, 1, 0, machine.audit), (_RETURN, 0, 0, _KILL)]
    code += [(_LOAD, 0, 0, _NUMBER_AT)]
    code += [(_AT_LEAST, 0, 1, _X32_CALLS), (_RETURN, 0, 0, eperm)]
    for number in sorted({**machine.denied, **_NEW_CALLS}.values()):
        code += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, eperm)]
    code += [(_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]
    code += _of_call(machine.fcntl, _ARG1_AT, _one_of(_LOCKS, eperm, otherwise=_ALLOW))
    code += _of_call(machine.prctl, _ARG0_AT, _one_of(_PRCTL, _ALLOW, otherwise=eperm))
    code += _of_call(machine.clone, _ARG0_AT, _all_bits((_NEW_NAMESPACES,), eperm))
    code += _of_call(machine.mmap, _ARG3_AT, _all_bits((_SHARED, _ANONYMOUS), eperm))
    code += [(_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)


_Code = list[tuple[int, int, int, int]]


def _of_call(number: int, argument: int, decide: _Code) -> _Code:
    """Decide about one call by one argument. Other calls skip this."""
    body: _Code = [(_LOAD, 0, 0, argument), *decide]
    return [(_EQUAL, 0, len(body), number), *body]


def _one_of(values: tuple[int, ...], then: int, *, otherwise: int) -> _Code:
    found: _Code = [(_EQUAL, len(values) - place, 0, each) for place, each in enumerate(values)]
    return [*found, (_RETURN, 0, 0, otherwise), (_RETURN, 0, 0, then)]


def _all_bits(masks: tuple[int, ...], then: int) -> _Code:
    """`then` if the argument has a bit of each mask; else the call is allowed."""
    found: _Code = [(_ANY_BIT, 0, len(masks) - place, each) for place, each in enumerate(masks)]
    return [*found, (_RETURN, 0, 0, then), (_RETURN, 0, 0, _ALLOW)]
