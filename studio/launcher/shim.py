"""Starts every child process: ties its life to the supervisor's, then becomes the command.

    python -I -S shim.py PARENT SIGNAL ACCOUNT COMMAND…

`PARENT` is the supervisor's process id. `SIGNAL` is what the child gets when the supervisor dies,
even by `kill -9` (on Linux; elsewhere only the supervisor's own clean-up ends children). `ACCOUNT`
is `-`, or the account to become: PostgreSQL refuses to run as root. That account keeps one
privilege: to read and search despite folder permissions. So a clone below /root works without
opening any folder. This is a separate file because importing nothing keeps it at 15 ms.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG, PR_SET_KEEPCAPS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE = 1, 8, 47, 2
PR_GET_SECUREBITS, PR_SET_SECUREBITS, NO_SETUID_FIXUP = 27, 28, 1 << 2
CAPABILITY_VERSION_3 = 0x20080522
# First choice: read and search only. Containers often withhold it but grant the second.
CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE = 2, 1


def become(account: str, libc: ctypes.CDLL) -> None:
    """Change from root to `account`, but keep the right to pass through closed folders."""
    import pwd

    entry = pwd.getpwnam(account)
    held = permitted_capabilities()
    libc.prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0)
    # Else access() asks as if the privilege were not there, and initdb finds no postgres.
    bits = libc.prctl(PR_GET_SECUREBITS, 0, 0, 0, 0)
    libc.prctl(PR_SET_SECUREBITS, bits | NO_SETUID_FIXUP, 0, 0, 0)
    os.setgroups([])
    os.setgid(entry.pw_gid)
    os.setuid(entry.pw_uid)
    for capability in (CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE):
        if held >> capability & 1:
            keep(capability, libc)
            return


def permitted_capabilities() -> int:
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith("CapPrm:"))
    return int(line.split()[1], 16)


def keep(capability: int, libc: ctypes.CDLL) -> None:
    """Make one capability permitted, inheritable and ambient, and drop all others."""
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    bit = 1 << capability
    sets = (ctypes.c_uint32 * 6)(bit, bit, bit, 0, 0, 0)
    libc.capset(header, sets)
    libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0)


def main() -> None:
    parent, death_signal, account, command = (
        int(sys.argv[1]),
        int(sys.argv[2]),
        sys.argv[3],
        sys.argv[4:],
    )
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if account != "-":
            become(account, libc)
        # After the change of account, which would clear it.
        libc.prctl(PR_SET_PDEATHSIG, death_signal, 0, 0, 0)
        if os.getppid() != parent:
            sys.exit(0)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.execvp(command[0], command)  # noqa: S606 - arguments as given, no shell


if __name__ == "__main__":
    main()
