"""Hostile scripts, played in the real sandbox without the checker before it. Each is contained: the
session ends with a named problem, or the script delivers proof that it could do no harm."""

import asyncio
from dataclasses import dataclass, field

import pytest

from workers.core.scripts.blocks import Call, Message
from workers.core.scripts.session import ScriptLimits, ScriptResult, Session, played
from workers.core.scripts.tests.sandboxes import none_left

LIMITS = ScriptLimits(seconds=4.0, calls=20, memory_mib=192)
HANGS = ScriptLimits(seconds=0.8, calls=20)
HEAD = (
    "import os, sys, time\nfrom workflow import *\nimport workflow\na = agent('A', 'Solve it.')\n"
)
FORGE = (
    HEAD
    + """\
import json
channel = sys._getframe(1).f_locals["channel"]
def send(line):
    line = line if isinstance(line, bytes) else json.dumps(line).encode()
    os.write(channel._out, line + b"\\n")
def call(**changed):
    agent = {"name": "A", "prompt": "p", "tools": [], "temperature": 0.0, "turns": None, "line": 1,
             "place": 0}
    about = {"reads": [], "kind": "answer", "choices": [], "lines": [1], "place": [1]}
    return {"agent": agent | changed, **about}
"""
)


@dataclass(frozen=True)
class Abuse:
    """`ends`: the codes of problems that it may end with; "": it delivers. `text`: is in what it
    delivers, or in the problem."""

    script: str
    ends: str | tuple[str, ...] = ""
    text: str = ""
    limits: ScriptLimits = LIMITS
    reply: str = field(default="it is 7")


ABUSES = {
    # What there is to see
    "reads the passwords": Abuse(
        "deliver(open('/etc/passwd').read())", "script_crashed", "FileNotFoundError"
    ),
    "reads the environment": Abuse("deliver(str(sorted(os.environ)))", text="['HOME', 'LANG']"),
    "reads the studio's files": Abuse(
        "deliver(str([os.path.exists(p) for p in ('/work', '/home', '/var', '/etc')]))",
        text="[False, False, False, False]",
    ),
    "reads /proc": Abuse(
        "deliver(open('/proc/self/environ').read())", "script_crashed", "FileNotFoundError"
    ),
    "follows a link to a secret": Abuse(
        "os.symlink('/etc/shadow', '/tmp/x')\ndeliver(open('/tmp/x').read())",
        "script_crashed",
        "FileNotFoundError",
    ),
    "looks for keys in memory": Abuse(
        "import gc\nheld = [v for v in gc.get_objects() if isinstance(v, dict)]\n"
        "deliver(str([v for v in held if 'SECRET_KEY' in v or 'API_KEY' in v]))",
        text="[]",
    ),
    "looks up the frames": Abuse(
        "import inspect\nnames = [f.function for f in inspect.stack()]\ndeliver(' '.join(names))",
        text="play",
    ),
    "imports the studio": Abuse("import workers", "script_crashed", "ModuleNotFoundError"),
    "imports a package": Abuse("import numpy", "script_crashed", "ModuleNotFoundError"),
    # The network
    "opens a socket": Abuse("import socket\nsocket.socket()", "script_crashed", "PermissionError"),
    "asks a name server": Abuse(
        "import socket\nsocket.getaddrinfo('example.org', 80)", "script_crashed", "gaierror"
    ),
    "fetches a page": Abuse(
        "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:80/')",
        "script_crashed",
        "URLError",
    ),
    # Processes
    "starts a shell": Abuse(
        "import subprocess\nsubprocess.run(['/bin/sh', '-c', 'id'])",
        "script_crashed",
        "FileNotFoundError",
    ),
    "starts an interpreter that stays": Abuse(
        "import subprocess\ntry:\n"
        "    subprocess.Popen([sys.executable, '-S', '-c', 'while True: pass'])\n"
        "except OSError:\n    pass\ndeliver('left')",
        text="left",
    ),
    "forks without end": Abuse(
        "while True:\n    os.fork()", ("script_crashed", "script_too_slow"), limits=HANGS
    ),
    "leaves a child with the channel": Abuse(
        "if os.fork():\n    os._exit(0)\ntime.sleep(60)", "script_died"
    ),
    "starts threads without end": Abuse(
        "import threading\nwhile True: threading.Thread(target=time.sleep, args=(9,)).start()",
        "script_crashed",
        "can't start new thread",
    ),
    "leaves threads that spin": Abuse(
        "import threading\ndef spin():\n    while True: pass\n"
        "threading.Thread(target=spin).start()\ndeliver('left')",
        text="left",
    ),
    "leaves something for its exit": Abuse(
        "import atexit\natexit.register(time.sleep, 60)\ndeliver('left')", text="left"
    ),
    "kills its parent": Abuse(
        "try:\n    os.kill(os.getppid(), 9)\nexcept OSError:\n    pass\ndeliver('alive')",
        text="alive",
    ),
    "kills all it can": Abuse(
        "try:\n    os.kill(-1, 9)\nexcept OSError:\n    pass\ndeliver('alive')",
        ("", "script_died"),
    ),
    "kills itself": Abuse("os.kill(os.getpid(), 9)", "script_died"),
    "ignores signals and hangs": Abuse(
        "import signal\nfor n in (1, 2, 3, 14, 15, 24): signal.signal(n, signal.SIG_IGN)\n"
        "while True: pass",
        "script_too_slow",
        limits=HANGS,
    ),
    # Rights
    "becomes root": Abuse("os.setuid(0)", "script_crashed", "PermissionError"),
    "traces, mounts and leaves its namespace": Abuse(
        "import ctypes\nc = ctypes.CDLL(None)\n"
        "deliver(str([c.ptrace(0, 0, 0, 0), c.mount(b'x', b'/tmp', b'tmpfs', 0, 0), "
        "c.unshare(0x10000000)]))",
        text="[-1, -1, -1]",
    ),
    "reads address 0": Abuse("import ctypes\nctypes.string_at(0)", "script_died"),
    # Time and memory
    "loops without end": Abuse("while True: pass", "script_too_slow", limits=HANGS),
    "sleeps for ever": Abuse("time.sleep(10 ** 6)", "script_too_slow", limits=HANGS),
    "loops in a test": Abuse(
        "deliver(loop(a, until=lambda m: all(iter(lambda: 1, 0))))", "script_too_slow", limits=HANGS
    ),
    "calls itself without end": Abuse("def f(): f()\nf()", "script_crashed", "RecursionError"),
    "nests a list": Abuse(
        "x = []\nfor _ in range(10 ** 5): x = [x]\ndeliver(repr(x))",
        "script_crashed",
        "RecursionError",
    ),
    "nests brackets": Abuse("eval('(' * 10 ** 5)", ("script_crashed", "too_much_memory")),
    "fills the memory": Abuse("x = 'x'\nwhile True: x += x", "too_much_memory"),
    "fills the memory in small pieces": Abuse(
        "x = []\nwhile True: x.append(bytearray(10_000))", "too_much_memory"
    ),
    "fills the memory while an agent speaks": Abuse(
        "for _ in range(3):\n"
        "    if os.fork() == 0:\n"
        "        time.sleep(0.2)\n"
        "        x = b'x' * (90 * 2 ** 20)\n"
        "        time.sleep(60)\n"
        "a()",
        "too_much_memory",
        reply="late",
    ),
    "writes a large file": Abuse(
        "with open('/tmp/x', 'wb') as f:\n    while True: f.write(b'x' * 2 ** 20)",
        "script_crashed",
        "OSError",
    ),
    "writes many files": Abuse(
        "for n in range(10 ** 9): open(f'/tmp/{n}', 'w').close()",
        ("too_much_memory", "script_too_slow", "script_crashed"),
        limits=ScriptLimits(seconds=2.0),
    ),
    # Output
    "prints a gigabyte": Abuse(
        "for _ in range(1_000): print('x' * 10 ** 6)\ndeliver('printed')", text="printed"
    ),
    "writes to its output": Abuse(
        "for fd in (1, 2): os.write(fd, b'{\"delivered\": 1}\\n' * 9_000)\ndeliver('written')",
        text="written",
    ),
    "reads its input": Abuse("deliver('read ' + repr(sys.stdin.read()))", text="read ''"),
    # The channel
    "writes to every descriptor": Abuse(
        "for fd in range(3, 64):\n    try: os.write(fd, b'garbage\\n')\n    except OSError: pass\n"
        "deliver('done')",
        "channel_garbage",
    ),
    "floods every descriptor": Abuse(
        "while True:\n  for fd in range(3, 64):\n    try: os.write(fd, b'x' * 60_000)\n"
        "    except OSError: pass",
        "message_too_long",
    ),
    "reads every descriptor": Abuse(
        "for fd in range(3, 64):\n    try: os.read(fd, 100)\n    except OSError: pass",
        "script_too_slow",
        limits=HANGS,
    ),
    "closes the channel": Abuse("os.closerange(0, 256)\ndeliver('x')", "script_died"),
    "closes the channel and hangs": Abuse(
        "os.closerange(0, 256)\nwhile True: pass", ("script_too_slow", "script_died"), limits=HANGS
    ),
    "delivers twice": Abuse(
        "for n in (1, 2): send({'delivered': {'name': '', 'text': f'text {n}'}})", text="text 1"
    ),
    "delivers a message that nobody said": Abuse("send({'delivered': 5})", "channel_garbage"),
    "delivers a negative number": Abuse("send({'delivered': -1})", "channel_garbage"),
    "delivers true": Abuse("send({'delivered': True})", "channel_garbage"),
    "sends a huge number": Abuse("send({'delivered': 10 ** 4_000})", "channel_garbage"),
    "sends deep JSON": Abuse("send(b'[' * 100_000)", "channel_garbage"),
    "sends deep JSON in a call": Abuse(
        "send(b'{\"calls\": ' + b'[' * 50_000 + b']' * 50_000 + b'}')", "channel_garbage"
    ),
    "sends no UTF-8": Abuse('send(b\'{"delivered": "\\xff\\xfe"}\')', "channel_garbage"),
    "sends no text": Abuse("send(b'\\x00' * 100)", "channel_garbage"),
    "sends half a surrogate": Abuse(
        "send({'delivered': {'name': '', 'text': '\\ud800'}})", "channel_garbage"
    ),
    "sends nothing": Abuse("send(b'')", "channel_garbage"),
    "sends two things at once": Abuse("send({'calls': [], 'delivered': 1})", "channel_garbage"),
    "sends a field of its own": Abuse("send({'calls': [], 'budget': 10})", "channel_garbage"),
    "waits for nobody": Abuse("send({'calls': []})\ntime.sleep(60)", "channel_garbage"),
    "starts a second time": Abuse("send({'ready': True})", "channel_garbage"),
    "invents a problem": Abuse(
        "send({'failed': {'code': 'studio_down', 'message': '', 'line': None}})", "channel_garbage"
    ),
    "asks an agent at no temperature": Abuse(
        "send({'calls': [call(temperature=float('nan'))]})", "channel_garbage"
    ),
    "asks an agent on line 0": Abuse("send({'calls': [call(line=0)]})", "channel_garbage"),
    "asks an agent with a long prompt": Abuse(
        "send({'calls': [call(prompt='x' * 9_000)]})", "channel_garbage"
    ),
    "asks 10,000 agents at once": Abuse(
        "send({'calls': [call() for _ in range(10_000)]})", "message_too_long"
    ),
    "asks 500 agents at once": Abuse(
        "send({'calls': [call() for _ in range(500)]})", "too_many_calls"
    ),
    "asks which answers are equal without end": Abuse(
        "a()\nwhile True:\n    send({'same': [1] * 60})\n    channel._in.readline()",
        "script_too_slow",
        limits=HANGS,
    ),
    "asks about a message that nobody said": Abuse("send({'same': [1]})", "channel_garbage"),
    "speaks out of turn": Abuse(
        "import threading\nthreading.Timer(0.2, send, [{'delivered': {'name': '', 'text': 'x'}}])"
        ".start()\na()",
        "channel_garbage",
        reply="late",
    ),
    # The blocks
    "10,000 agents in one ensemble": Abuse("ensemble([a] * 10_000)", "bad_block"),
    "10,000 agents one after the other": Abuse(
        "for n in range(10_000): agent(f'A{n}', 'p')()", "too_many_calls"
    ),
    "10,000 agents with the limit lifted": Abuse(
        "workflow.MOST_AGENTS = 10 ** 9\ndeliver(ensemble([a] * 10_000))", "message_too_long"
    ),
    "rounds without end": Abuse(
        "workflow.MOST_ROUNDS = 10 ** 9\ndeliver(debate([a, a], rounds=10 ** 6))", "too_many_calls"
    ),
    "a prompt of 1 MB": Abuse("agent('A', 'x' * 10 ** 6)", "bad_block"),
    "a prompt of 1 MB, set later": Abuse(
        "object.__setattr__(a, 'prompt', 'x' * 10 ** 6)\na()", "message_too_long"
    ),
    "a name that is no text": Abuse("object.__setattr__(a, 'name', [1])\na()", "channel_garbage"),
    "a tool that was not given": Abuse(
        "object.__setattr__(a, 'tools', ('shell',))\na()", "unknown_tool"
    ),
    "reads 1 MB of its own": Abuse("a('x' * 10 ** 6)", "message_too_long"),
    "a message that nobody said": Abuse(
        "deliver(a(workflow.Message('A', 'x', number=7)))", "channel_garbage"
    ),
    "a message that is no text": Abuse("deliver(workflow.Message('A', 7))", "channel_garbage"),
    "delivers another type": Abuse("deliver([a])", "bad_block"),
    "delivers a class": Abuse("deliver(workflow.Message)", "bad_block"),
    "another stage": Abuse(
        "class Mine(workflow.Stage):\n    def delivered(self, message): pass\n"
        "workflow.enter(Mine())\ndeliver('x')",
        "script_died",
    ),
    "ends as if it had delivered": Abuse("raise workflow.Delivered", "script_died"),
    "exits": Abuse("sys.exit(0)", "nothing_delivered"),
    "exits at once": Abuse("os._exit(0)", "script_died"),
    "raises what is no error": Abuse("raise KeyboardInterrupt", "script_died"),
    "raises an error that can't be shown": Abuse(
        "class E(Exception):\n    def __str__(self): raise E\nraise E",
        ("script_crashed", "script_died"),
    ),
    "an error with a long name": Abuse(
        "raise type('E' * 10_000, (Exception,), {})('x')", ("script_crashed", "channel_garbage")
    ),
    "the character NUL": Abuse("x = '\0'", "script_crashed"),
}


async def outcome(abuse: Abuse) -> ScriptResult:
    async def respond(number: int, call: Call) -> Message:
        await asyncio.sleep(1.0 if abuse.reply == "late" else 0)
        return Message(call.agent.name, abuse.reply, "7")

    head = FORGE if "send(" in abuse.script or "send," in abuse.script else HEAD
    session = Session(head + abuse.script, "How many?", abuse.limits, tools=["python"])
    async with asyncio.timeout(30):
        return await played(session, respond)


@pytest.mark.parametrize("name", ABUSES)
async def test_abuse_is_contained(name: str) -> None:
    abuse = ABUSES[name]
    result = await outcome(abuse)
    code = result.problem.code if result.problem else ""
    said = (
        result.problem.message if result.problem else result.message.text if result.message else ""
    )
    allowed = (abuse.ends,) if isinstance(abuse.ends, str) else abuse.ends
    assert code in allowed, (code, said)
    assert abuse.text in said
    assert len(result.printed) <= abuse.limits.printed_chars
    assert result.calls <= abuse.limits.calls
    assert (result.message is None) == bool(code)
    assert await none_left()
