"""The second half of `bin/studio`: reads the command line and runs the command."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from studio.launcher.errors import INTERRUPTED, LauncherError, explained
from studio.launcher.settings import UpOptions

PASSING_ON = ("test", "manage")
"""Commands that hand everything after their name to another program."""


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
    ask = commands.add_parser("ask", help="ask one question in the terminal")
    ask.add_argument("question")
    ask.add_argument("--json", action="store_true", help="print the result as one JSON object")
    ask.add_argument("--method", help="method that answers (default: the studio's default method)")
    ask.add_argument("--endpoint", help="key of the endpoint (default: the default endpoint)")
    ask.add_argument("--pool", help="key of the role pool (default: the default pool)")
    ask.add_argument("--seed", type=int, help="random seed; the same seed samples the same graph")
    ask.add_argument("--reference", help="the expected answer; the studio judges the run by it")
    ask.add_argument(
        "--file",
        action="append",
        default=[],
        type=Path,
        metavar="PATH",
        help="a file that agents may read; repeat the option for more",
    )
    ask.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a setting of the method; VALUE is JSON, or else text; @FILE: the text of a file",
    )
    bench = commands.add_parser("bench", help="run one benchmark")
    bench.add_argument("name")
    backup = commands.add_parser("backup", help="copy all stored data into a new folder")
    backup.add_argument("folder", type=Path)
    restore = commands.add_parser("restore", help="replace all stored data with a backup")
    restore.add_argument("folder", type=Path)
    for name in ("check", "status", "login", "stop"):
        commands.add_parser(name)
    return top


def read(arguments: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """The options, and the arguments to pass on. `--help` and wrong usage end the process."""
    if arguments and arguments[0] in PASSING_ON:
        return argparse.Namespace(command=arguments[0]), list(arguments[1:])
    top = parser()
    options, rest = top.parse_known_args(arguments)
    if rest and options.command != "bench":
        top.error(f"unknown arguments: {' '.join(rest)}")
    return options, rest


def dispatch(options: argparse.Namespace, rest: list[str]) -> int:
    """Run the command. Each imports only what it needs."""
    match options.command:
        case "up":
            from studio.launcher.up import up

            llm, webs = not options.no_llm, options.web_processes
            code = up(UpOptions(options.host, options.port, llm, webs, options.workers))
        case "ask":
            from studio.launcher.ask import Question, ask, settings_in

            named = ("method", "endpoint", "pool", "seed", "reference")
            more = {name: getattr(options, name) for name in named}
            more |= {"method_config": settings_in(options.set) or None}
            question = Question(options.question, **more, files=tuple(options.file))
            code = ask(question, as_json=options.json)
        case "test":
            from studio.launcher.suite import test

            code = test(rest)
        case "check":
            from studio.launcher.check import check

            code = check()
        case "bench":
            from studio.launcher.bench import bench

            code = bench(options.name, rest)
        case "manage":
            from studio.launcher.manage import manage

            code = manage(rest)
        case "login":
            from studio.launcher.manage import login

            code = login()
        case "status":
            from studio.launcher.running import status

            code = status()
        case "stop":
            from studio.launcher.running import stop

            code = stop()
        case "backup":
            from studio.launcher.backup import backup

            code = backup(options.folder)
        case _:
            from studio.launcher.restore import restore

            code = restore(options.folder)
    return code


def main() -> int:
    """Run the command; every foreseeable problem is one line and an exit code."""
    try:
        return dispatch(*read(sys.argv[1:]))
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
