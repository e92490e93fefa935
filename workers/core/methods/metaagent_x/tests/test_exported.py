"""An exported script does outside what it does in the studio: the same calls, the same answer."""

import asyncio
import json
import re
import subprocess
import threading
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from workers.core.errors import MethodError
from workers.core.events import AgentFinished, Event, IntermediateAnswer, ScriptEnded
from workers.core.llm.client import OpenAIClient
from workers.core.llm.retry import RetryPolicy
from workers.core.mas.contribution import read_text
from workers.core.mas.tests.support import collect, context, endpoint
from workers.core.methods.metaagent_x.config import SAMPLE_SCRIPT
from workers.core.methods.metaagent_x.method import MetaAgentX
from workers.core.methods.metaagent_x.prompts import SINGLE, SMALL_CHECKED, VOTE
from workers.core.methods.metaagent_x.tests.support import of
from workers.core.scripts.exporting import exported
from workers.core.scripts.meaning import meaning_of
from workers.core.scripts.tests.test_exporting import TEAM, plain_python
from workers.core.scripts.tests.test_meaning import IMPORT
from workers.core.scripts.tests.test_soundness import FUNCTIONS, LOST_ONCE, SCRIPTS, START
from workers.core.specs import TaskSpec

QUESTION = "What is 2 + 2?"
WORDS = ("yes", "no", "done", "7")
MOST_CALLS = 64
"""More than the studio allows."""
DRAWN = settings(
    max_examples=4,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
HABITS = """
from workflow import *


def checked(said: Message, most: "int" = 2) -> Optional[Message]:
    words: List[str] = said.text.split()
    return b(said) if len(words) > most else said


a: Agent = agent("A", "p")
b = agent("B", "p")
if __name__ == "__main__":
    print("asked", end="!")
    deliver(checked(a()))
"""
SAMPLES = [
    HABITS,
    *(SAMPLE_SCRIPT, SINGLE, VOTE, SMALL_CHECKED, TEAM),
    *(f"{IMPORT}{FUNCTIONS}{START}{body}\ndeliver(x)\n" for body in LOST_ONCE.values()),
]
OUTSIDE = """
import http.client, os, runpy, subprocess, sys, unicodedata, urllib.request
from concurrent.futures import ThreadPoolExecutor
for _ in sys.stdin:
    if child := os.fork():
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    for stream, name in ((sys.stdout, "said"), (sys.stderr, "why")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream.fileno())
    sys.stdin, sys.argv, sys.path[0] = open(os.devnull), ["team.py", QUESTION], os.getcwd()
    runpy.run_path("team.py", run_name="__main__")
    sys.exit()
"""
"""Most of the time of a process for each script would be its start."""
_MARK = re.compile(r"\[\[\w+\]\]")
_LABELS = re.compile(r"The labels: (.+)\.$")
_NAMELESS = re.compile(r"agent\(([\"'])(\w+)\1, ([\"'])p\3\)")


def said(messages: Sequence[dict[str, str]]) -> tuple[str, str]:
    """Who is asked what, in short, and the reply. It depends on all that is read: each message has
    a mark of its own."""
    system, user = messages[0]["content"], messages[-1]["content"]
    labels = _LABELS.search(user)
    kind = "verdict" if user.endswith("`Verdict: incorrect`.") else "route" if labels else "answer"
    asked = f"{kind} of {system.splitlines()[0]} {' '.join(_MARK.findall(user))}"
    chance = zlib.crc32(asked.encode())
    word = WORDS[chance % len(WORDS)]
    if chance % 13 == 5:
        return asked, ""
    ending = f"Answer: {word}" if chance % 5 else "That is all."
    if kind == "verdict":
        ending = f"Verdict: {'in' * (chance % 2)}correct"
    elif labels:
        names = labels[1].split(", ")
        ending = f"Route: {names[chance % len(names)]}"
    return asked, f"{word} [[{chance:x}]]\n{ending}"


class _Server(HTTPServer):
    request_queue_size = 64
    asked: list[str]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked, reply = said(body["messages"])
        if len(self.server.asked) > MOST_CALLS:
            reply = ""  # so that it comes to an end
        self.server.asked.append(f"{asked} at {body['temperature']}")
        choice = {"message": {"role": "assistant", "content": reply}, "finish_reason": "stop"}
        told = {"choices": [choice], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}
        data = json.dumps(told).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Content-Type", "application/json")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@dataclass
class Done:
    """`calls` in their order. `said`: the text that was delivered; None: the script failed, and
    `why`. `written`: by the script. `limited`: a limit of the studio ended it."""

    said: str | None
    calls: list[str] = field(default_factory=list)
    written: bool = False
    limited: bool = False
    why: str = ""


@dataclass
class Both:
    """Plays scripts in the studio and outside, one call after the other."""

    server: _Server
    folder: Path
    plain: subprocess.Popen[str]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/v1"

    async def inside(self, script: str) -> Done:
        self.server.asked = []
        events: list[Event] = []
        config = {"script": script, "tools": "", "max_calls": 48}
        failure = None
        async with OpenAIClient(retry=RetryPolicy(tries=1)) as client:
            one = endpoint(self.url, max_concurrency=1, context_length=100_000)
            asked = context(client, config=config, endpoint=one)
            try:
                await collect(MetaAgentX().solve(TaskSpec(query=QUESTION), asked), events)
            except MethodError as error:
                failure = f"{error.code} {error.message}"
        ended = of(events, ScriptEnded)
        if failure is not None:
            limited = bool(ended) and ended[0].ending == "limit"
            return Done(None, self.server.asked, limited=limited, why=failure)
        [answer] = of(events, IntermediateAnswer)
        told = {each.agent_id: each.message for each in of(events, AgentFinished)}
        if answer.agent_id is None:
            return Done(str(answer.answer), self.server.asked, written=True)
        return Done(told[answer.agent_id], self.server.asked)

    def outside(self, script: str) -> Done:
        self.server.asked = []
        for name, text in exported(script).items():
            (self.folder / name).write_text(text.replace("PARALLEL = 8", "PARALLEL = 1"))
        assert self.plain.stdin
        assert self.plain.stdout
        self.plain.stdin.write("\n")
        self.plain.stdin.flush()
        code = int(self.plain.stdout.readline())
        said, why = ((self.folder / name).read_text() for name in ("said", "why"))
        return Done(None if code else said.rstrip("\n"), self.server.asked, why=why)


@contextmanager
def both(folder: Path) -> Iterator[Both]:
    with _Server(("127.0.0.1", 0), _Handler) as server:
        server.asked = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/v1"
        with subprocess.Popen(
            [plain_python(), "-S", "-s", "-c", f"QUESTION = {QUESTION!r}{OUTSIDE}"],
            cwd=folder,
            env={"PYTHONUTF8": "1", "PYTHONHASHSEED": "0", "BASE_URL": url, "MODEL": "stub"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as plain:
            try:
                yield Both(server, folder, plain)
            finally:
                plain.kill()
                server.shutdown()


STRAIGHT = """\
x = a(y)
y = b(x)
z = c(x, y)
x, y = y, x
y = b()
heard.append(c(z))
x = ensemble([a, b, c])(y)
y = reflection(b, c, rounds=1)(x)
z = loop(a, b, most=2)()
x = debate([a, b], rounds=1)(x)
z = graph({'a': a, 'b': b}, [('a', 'b')])(y)
y = router(a, {'yes': b, 'no': c})(x)
x = conditional(a, b, c)(z)
z = sequence(a, b)(x)
n = int(x.text)
n = float(y.answer)
n = len(z.answer)
n = 1 / len(x.text)
w = x.text.split()[1]
w = x.text.split()[3]
w = x.answer + '!'
w = y.answer.lower()
w = f'{x.answer:>9}'
w = f'{len(x.text):.1f}'
w = f'{z}'
w = str(z)
w = x.name + '.'
n = x.text.index('done')
n = x.answer in 'yes'
n = 'y' in x.answer
n = x.answer < y.answer
n = [1, 2][len(x.text)]
n = {'yes': 1}[x.answer]
n = {'yes': 1}.get(x.answer, 2)
w = ' '.join([x.answer, y.text])
w = sorted([x.answer, y.answer])
n = max([x.answer, y.answer])
n = sum(len(m.text) for m in heard)
n = sum(int(m.answer) for m in heard)
n = -len(y.text)
w = [m.text for m in heard]
w = x.text[0]
w = x.text[1:4]
print(x.text)
print(x, y.answer)
n = round(len(x.text) / 3)
n = abs(len(x.text))
n = heard.index(x)
w = x.text.count('e')
p, q = x.text.split()
p, q = x.text.split(' ', 1)
n = not x.answer
n = x.answer == y.answer
w = x.text * 2
w = 'a' * len(x.text)
w = list(x.text)
w = dict([x.text.split()[:2]])
w = min(x.text.split())
w = x.text.replace('y', y.answer)
w = {x.answer, y.answer}
w = set(x.text)
w = x.text.strip().upper()
n = range(len(x.text))[4]
n = int('7')""".splitlines()
"""Much of this no call waits for, but some of it fails."""
STRAIGHT_SCRIPTS = st.builds(
    lambda lines, end: (
        f"{IMPORT}x = a()\ny = b()\nz = c(x)\nheard = [x, z]\n" + "\n".join([*lines, end])
    ),
    st.lists(st.sampled_from(STRAIGHT), min_size=2, max_size=7),
    st.sampled_from(["deliver(x)", "deliver(c(x, y))", "deliver(z.text)", "deliver(a)"]),
)


def named(script: str) -> str:
    """Each agent has a prompt of its own. No answer is kept, so that the server hears of each."""
    return _NAMELESS.sub(r"agent('\2', 'You are \2.', temperature=0.5)", script)


async def require_equal(there: Both, script: str) -> None:
    """Raises AssertionError."""
    inside = await there.inside(script)
    if inside.limited or inside.why.startswith("unusable_script"):
        return
    outside = there.outside(script)
    about = f"{script}\n\n{inside}\n\n{outside}"
    assert (inside.said is None) is (outside.said is None), about
    if inside.written:
        read = read_text(str(outside.said), "text", ())
        assert inside.said == (read.answer or read.text), about
    else:
        assert inside.said == outside.said, about
    if inside.calls != outside.calls:
        team = meaning_of(script).team
        assert team is not None, about
        assert team.kind == "graph", about  # what need not wait doesn't
        assert sorted(inside.calls) == sorted(outside.calls), about


def require_all_equal(folder: Path, scripts: Iterable[str]) -> None:
    async def compared() -> None:
        with both(folder) as there:
            for script in scripts:
                await require_equal(there, named(script))

    asyncio.run(compared())


def test_samples_do_the_same_outside(tmp_path: Path, sandbox: None) -> None:
    require_all_equal(tmp_path, SAMPLES)


@DRAWN
@given(st.lists(STRAIGHT_SCRIPTS, min_size=8, max_size=8))
def test_what_computes_with_replies_does_the_same_outside(scripts: list[str]) -> None:
    with TemporaryDirectory() as folder:
        require_all_equal(Path(folder), scripts)


@DRAWN
@given(st.lists(SCRIPTS, min_size=8, max_size=8))
def test_what_replies_decide_does_the_same_outside(scripts: list[str]) -> None:
    with TemporaryDirectory() as folder:
        require_all_equal(Path(folder), scripts)
