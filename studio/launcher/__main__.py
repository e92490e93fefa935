"""The second half of `bin/studio`: reads the command line and runs the command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from studio.launcher.errors import INTERRUPTED, LauncherError, explained
from studio.launcher.settings import UpOptions

Handler = Callable[[argparse.Namespace, list[str]], int]


def run_up(options: argparse.Namespace, _rest: list[str]) -> int:
    from studio.launcher.up import up

    return up(
        UpOptions(
            options.host, options.port, not options.no_llm, options.web_processes, options.workers
        )
    )


def run_ask(options: argparse.Namespace, _rest: list[str]) -> int:
    from studio.launcher.ask import Question, ask

    question = Question(
        options.question,
        options.method,
        options.endpoint,
        options.pool,
        options.seed,
        options.reference,
    )
    return ask(question, as_json=options.json)


def run_test(_options: argparse.Namespace, rest: list[str]) -> int:
    from studio.launcher.suite import test

    return test(rest)


def run_check(_options: argparse.Namespace, _rest: list[str]) -> int:
    from studio.launcher.check import check

    return check()


def run_bench(options: argparse.Namespace, rest: list[str]) -> int:
    from studio.launcher.bench import bench

    return bench(options.name, rest)


def run_manage(_options: argparse.Namespace, rest: list[str]) -> int:
    from studio.launcher.manage import manage

    return manage(rest)


def run_login(_options: argparse.Namespace, _rest: list[str]) -> int:
    from studio.launcher.manage import login

    return login()


def run_status(_options: argparse.Namespace, _rest: list[str]) -> int:
    from studio.launcher.running import status

    return status()


def run_stop(_options: argparse.Namespace, _rest: list[str]) -> int:
    from studio.launcher.running import stop

    return stop()


def run_backup(options: argparse.Namespace, _rest: list[str]) -> int:
    from studio.launcher.backup import backup

    return backup(options.folder)


def run_restore(options: argparse.Namespace, _rest: list[str]) -> int:
    from studio.launcher.restore import restore

    return restore(options.folder)


# Commands that hand everything after their name to another program.
PASSING_ON: dict[str, Handler] = {"test": run_test, "manage": run_manage}


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="bin/studio")
    commands = top.add_subparsers(dest="command", required=True)
    up = commands.add_parser("up", help="start everything and keep it running")
    up.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default: %(default)s)"
    )
    up.add_argument(
        "--port",
        type=int,
        default=8300,
        help="port to listen on; 0 takes any free port (default: %(default)s)",
    )
    up.add_argument("--no-llm", action="store_true", help="do not start the embedded model")
    up.add_argument("--web-processes", type=int, default=1, metavar="N")
    up.add_argument(
        "--workers", type=int, default=1, metavar="N", help="number of Celery worker processes"
    )
    up.set_defaults(handler=run_up)
    ask = commands.add_parser("ask", help="ask one question in the terminal")
    ask.add_argument("question")
    ask.add_argument("--json", action="store_true", help="print the result as one JSON object")
    ask.add_argument("--method", help="method that answers (default: the studio's default method)")
    ask.add_argument("--endpoint", help="key of the endpoint (default: the default endpoint)")
    ask.add_argument("--pool", help="key of the role pool (default: the default pool)")
    ask.add_argument("--seed", type=int, help="random seed; the same seed samples the same graph")
    ask.add_argument("--reference", help="the expected answer; the studio judges the run by it")
    ask.set_defaults(handler=run_ask)
    bench = commands.add_parser("bench", help="run one benchmark")
    bench.add_argument("name")
    bench.set_defaults(handler=run_bench)
    backup = commands.add_parser("backup", help="copy all stored data into a new folder")
    backup.add_argument("folder", type=Path)
    backup.set_defaults(handler=run_backup)
    restore = commands.add_parser("restore", help="replace all stored data with a backup")
    restore.add_argument("folder", type=Path)
    restore.set_defaults(handler=run_restore)
    plain = {"check": run_check, "status": run_status, "login": run_login, "stop": run_stop}
    for name, handler in plain.items():
        commands.add_parser(name).set_defaults(handler=handler)
    return top


def read(arguments: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """The options, and the arguments to pass on. `--help` and wrong usage end the process."""
    if arguments and arguments[0] in PASSING_ON:
        handler = PASSING_ON[arguments[0]]
        return argparse.Namespace(handler=handler), list(arguments[1:])
    top = parser()
    options, rest = top.parse_known_args(arguments)
    if rest and options.command != "bench":
        top.error(f"unknown arguments: {' '.join(rest)}")
    return options, rest


def dispatch(arguments: Sequence[str]) -> int:
    options, rest = read(arguments)
    handler: Handler = options.handler
    return handler(options, rest)


def main() -> int:
    """Run the command; every foreseeable problem is one line and an exit code."""
    try:
        return dispatch(sys.argv[1:])
    except LauncherError as error:
        print(f"bin/studio: {error}", file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        line = explained(error)
        if line is None:
            raise
        print(f"bin/studio: {line}", file=sys.stderr)
        return line.code


if __name__ == "__main__":
    sys.exit(main())
