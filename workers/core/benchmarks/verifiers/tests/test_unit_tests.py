"""Right programs in every shape pass; no trick makes a wrong one pass."""

import asyncio
import time
from typing import Any

import pytest

from workers.core.benchmarks.base import Verdict, VerifierError
from workers.core.benchmarks.verifiers import unit_tests
from workers.core.benchmarks.verifiers.unit_tests import Counted, UnitTests, count_passed
from workers.core.specs import TaskSpec

ADD = "assert add(1, 2) == 3\nassert add([1], [2]) == [1, 2]"


async def judge(answer: str | None, tests: Any = ADD, *, message: str = "", **more: Any) -> Verdict:
    metadata = {"tests": tests, "seconds": 4} | more
    task = TaskSpec(query="q", verifier="unit_tests", answer_form="code", metadata=metadata)
    return await UnitTests().verify(task, answer=answer, message=message)


RIGHT = {
    "plain": ("def add(a, b):\n    return a + b", ADD),
    "a list of tests": ("def add(a, b):\n    return a + b", ADD.splitlines()),
    "it prints a lot": ("print('x' * 10**7)\ndef add(a, b):\n    print(a)\n    return a + b", ADD),
    "a block in prose": ("Here:\n```python\ndef add(a, b):\n    return a + b\n```\nDone.", ADD),
    "the last block": (
        "```python\ndef add(a, b):\n    return 0\n```\nBetter:\n"
        "```py\ndef add(a, b):\n    return a + b\n```",
        ADD,
    ),
    "a test after the solution": (
        "```python\ndef add(a, b):\n    return a + b\n```\nA test:\n"
        "```python\ndef test_add():\n    assert add(1, 2) == 3\n```",
        ADD,
    ),
    "a helper in a block before": (
        "```python\ndef plus(a, b):\n    return a + b\n```\nThen\n"
        "```python\ndef add(a, b):\n    return plus(a, b)\n```",
        ADD,
    ),
    "windows lines": ("def add(a, b):\r\n\treturn a + b\r\n", ADD),
    "a future import": (
        "from __future__ import annotations\ndef add(a: X, b: X):\n    return a + b",
        ADD,
    ),
    "every kind of data": (
        "def f():\n    return {1: (2, 3.5), 'ü': {4}, None: b'x', True: frozenset([1j])}",
        "assert f() == {1: (2, 3.5), 'ü': {4}, None: b'x', True: frozenset([1j])}",
    ),
    "types of values": (
        "def f():\n    return [(1,), 1.0, True]",
        "a, b, c = f()\nassert type(a) is tuple and type(b) is float and c is True",
    ),
    "standard containers": (
        "from collections import Counter, OrderedDict, deque\n"
        "from fractions import Fraction\nfrom decimal import Decimal\n"
        "def f():\n    return Counter('aab'), OrderedDict(a=1), deque([1]), Fraction(1, 3), "
        "Decimal('0.1'), range(3)",
        "from fractions import Fraction\nfrom decimal import Decimal\n"
        "a, b, c, d, e, g = f()\nassert a.most_common(1) == [('a', 2)] and b == {'a': 1}\n"
        "assert list(c) == [1] and d == Fraction(1, 3) and e == Decimal('0.1') and g == range(3)",
    ),
    "huge numbers": ("def f():\n    return 10 ** 5000", "assert f() == 10 ** 5000"),
    "not a number": ("def f():\n    return float('nan')", "x = f()\nassert x != x"),
    "its own classes": (
        "class Pair:\n    def __init__(self, a, b):\n        self.a, self.b = a, b\n"
        "def total(pairs):\n    return sum(pair.b for pair in pairs)",
        "assert total([Pair(1, 2), Pair(3, 4)]) == 6\np = Pair(1, 2)\np.a = p\nassert p.a.b == 2",
    ),
    "objects among themselves": (
        "from dataclasses import dataclass\n@dataclass(order=True)\nclass V:\n    x: int\n"
        "    def __add__(self, other):\n        return V(self.x + other.x)",
        "assert V(1) + V(2) == V(3)\nassert V(1) < V(2)\nassert str(V(1)) == 'V(x=1)'",
    ),
    "changed in place": (
        "def f(x, y, z):\n    x.reverse()\n    y['k'] = 1\n    z.clear()",
        "x, y, z = [1, 2], {}, {3}\nf(x, y, z)\nassert (x, y, z) == ([2, 1], {'k': 1}, set())",
    ),
    "generators": (
        "def f(n):\n    yield from range(n)",
        "assert list(f(3)) == [0, 1, 2]\nassert next(f(1)) == 0",
    ),
    "functions as arguments": (
        "def f(g, xs):\n    return [g(x) for x in xs]",
        "assert f(lambda x: x + 1, [1, 2]) == [2, 3]\nassert f(str, [1]) == ['1']",
    ),
    "functions as results": (
        "def f(n):\n    return lambda x: x + n",
        "assert f(1)(2) == 3",
    ),
    "built-in exceptions": (
        "def f(x):\n    raise ValueError('no')",
        "try:\n    f(1)\nexcept ValueError as e:\n    assert str(e) == 'no'\nelse:\n    assert 0",
    ),
    "modules that the program imported": (
        "import sys, math\ndef f(x):\n    return sys.getsizeof(x)",
        "assert f((1, 2)) == sys.getsizeof((1, 2))\nassert math.floor(2.5) == 2",
    ),
    "dates": (
        "import datetime as d\ndef f(x):\n    return [x, x.date(), x.time(), d.timedelta(1, 2, 3)]",
        "import datetime as d\nx = d.datetime(2020, 1, 2, 3, 4, tzinfo=d.timezone.utc)\n"
        "assert f(x) == [x, x.date(), x.time(), d.timedelta(1, 2, 3)]\n"
        "assert type(f(x)[1]) is d.date",
    ),
    "views of dictionaries": (
        "def f(x):\n    return x.keys(), x.values(), x.items()",
        "k, v, i = f({1: [2]})\nassert k == {1} and list(v) == [[2]] and list(i) == [(1, [2])]",
    ),
    "iterators as arguments": (
        "def f(x):\n    return list(x)",
        "assert f(iter([1, 2])) == f(n for n in (1, 2)) == f(map(int, '12')) == [1, 2]",
    ),
    "a module as an argument": ("def f(m):\n    return m.pi", "import math\nassert f(math) > 3"),
    "instances of its classes": (
        "class A:\n    pass\nclass B(A):\n    pass\ndef f():\n    return B()",
        "assert isinstance(f(), A) and isinstance(A(), A) and not isinstance(A(), B)\n"
        "assert issubclass(B, A) and not isinstance(1, A)",
    ),
    "its own exceptions": (
        "class Bad(ValueError):\n    pass\nclass Worse(Bad):\n    pass\n"
        "def f():\n    raise Worse('no')",
        "for kind in (Worse, Bad, ValueError, Exception):\n    try:\n        f()\n"
        "    except kind as e:\n        assert str(e) == 'no'\n    else:\n        assert 0",
    ),
    "its own exceptions apart": (
        "class One(Exception):\n    pass\nclass Two(Exception):\n    pass\n"
        "def f():\n    raise One()",
        "try:\n    f()\nexcept Two:\n    assert 0\nexcept One:\n    pass",
    ),
    "context managers": (
        "import contextlib\nlog = []\n@contextlib.contextmanager\ndef f():\n    log.append(1)\n"
        "    yield 5\n    log.append(2)\ndef g():\n    return log",
        "with f() as x:\n    assert x == 5 and g() == [1]\nassert g() == [1, 2]",
    ),
    "the same object in a set": (
        "class P:\n    def __init__(self, x):\n        self.x = x\n"
        "    def __eq__(self, o):\n        return self.x == o.x\n"
        "    def __hash__(self):\n        return hash(self.x)\np = P(0)\ndef f():\n    return p",
        "assert len({f(), f()}) == 1 and f() is f()\nassert len({P(1), P(1), P(2)}) == 2",
    ),
    "changed in place, deep within": (
        "def f(x, *, d):\n    x[0].append(2)\n    x.reverse()\n    d['k'].add(1)\n    return x",
        "a, b, s = [1], [5], set()\nx = [a, b]\ny = f(x, d={'k': s})\n"
        "assert a == [1, 2] and x == [b, a] and x[1] is a and y is x and s == {1}",
    ),
    "a list that holds itself": (
        "def f(x):\n    x.append(x)",
        "x = [1]\nf(x)\nassert x[1] is x and len(x) == 2",
    ),
    "the name of a built-in function": (
        "def sum(a, b):\n    return a + b",
        "assert sum(10, 15) == 25\nassert sum(1, 2) == 3",
    ),
    "keywords": ("def f(*, a=1):\n    return a", "assert f(a=2) == 2\nassert f() == 1"),
    "a main guard": ("def add(a, b):\n    return a + b\nif __name__ == '__main__':\n    1/0", ADD),
}


@pytest.mark.parametrize(("program", "tests"), RIGHT.values(), ids=RIGHT.keys())
async def test_right_programs(program: str, tests: Any) -> None:
    verdict = await judge(program, tests)
    assert verdict.correct, verdict.explanation
    assert verdict.reward == 1.0


async def test_a_million_numbers_go_there_and_back() -> None:
    program = "def f(x):\n    return [n + 1 for n in x]"
    tests = "x = list(range(10**6))\ny = f(x)\nassert y[-1] == 10**6 and x[-1] == 10**6 - 1"
    verdict = await judge(program, tests, seconds=40)
    assert verdict.correct, verdict.explanation


EQUAL = "class Equal:\n    def __eq__(self, other):\n        return True\n    __hash__ = None\n"
WRONG = {
    "wrong": "def add(a, b):\n    return a - b",
    "right for the first test alone": "def add(a, b):\n    return 3",
    "nothing": "",
    "no function": "x = 1",
    "no Python": "x = (",
    "prose": "You should add them.",
    "prints what is expected": "print(3)\nprint([1, 2])\nprint('OK')\nprint('passed')",
    "loops": "while True:\n    pass",
    "loops when called": "def add(a, b):\n    while True:\n        pass",
    "sleeps": "import time\ndef add(a, b):\n    time.sleep(60)",
    "forks without end": "import os\nwhile True:\n    os.fork()",
    "forks and lets the child answer": (
        "import os\nif os.fork():\n    os._exit(0)\ndef add(a, b):\n    return 0"
    ),
    "fills memory": "def add(a, b):\n    return 'x' * 10**10",
    "answers without end": "def add(a, b):\n    return 'x' * (9 * 2**20)",
    "an endless list": "def add(a, b):\n    x = []\n    x.append(x)\n    return x",
    "exits at once": "import sys\nsys.exit(0)",
    "exits hard": "import os\nos._exit(0)",
    "raises SystemExit": "raise SystemExit(0)",
    "exits when called": "import os\ndef add(a, b):\n    os._exit(0)",
    "leaves politely when called": "import sys\ndef add(a, b):\n    sys.exit(0)",
    "exits later": "import atexit, os\natexit.register(lambda: os._exit(0))\nadd = max",
    "kills its judge": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nadd = max",
    "stops its judge": "import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)\nadd = max",
    "interrupts its judge": "import os, signal\nos.kill(os.getppid(), signal.SIGINT)\nadd = max",
    "replaces sys.exit": "import sys\nsys.exit = lambda *a: None\nadd = max",
    "replaces exit functions": "import os, sys\nos._exit = sys.exit = print\nadd = max",
    "replaces AssertionError": (
        "import builtins\nclass AssertionError(Exception):\n    pass\n"
        "builtins.AssertionError = AssertionError\nadd = max"
    ),
    "replaces __build_class__ and print": (
        "import builtins\nbuiltins.__build_class__ = builtins.print = None\nadd = max"
    ),
    "equals everything": f"{EQUAL}def add(a, b):\n    return Equal()",
    "an int that equals everything": (
        "class I(int):\n    def __eq__(self, o):\n        return True\n"
        "    def __hash__(self):\n        return 0\ndef add(a, b):\n    return I(0)"
    ),
    "a list that equals everything": (
        "class L(list):\n    def __eq__(self, o):\n        return True\n"
        "def add(a, b):\n    return L()"
    ),
    "patches the frames": (
        "import sys\nframe = sys._getframe()\nwhile frame:\n    frame.f_globals.update("
        "judge=lambda *a: ('passed', ''), add=max)\n    frame = frame.f_back\nadd = max"
    ),
    "patches the harness through gc": (
        "import gc\nfor o in gc.get_objects():\n"
        "    if isinstance(o, dict) and 'judge' in o:\n"
        "        o['judge'] = lambda *a: ('passed', '')\nadd = max"
    ),
    "patches the harness in sys.modules": (
        "import sys\nm = sys.modules['__main__']\n"
        "m.judge = lambda *a: ('passed', '')\nm.JudgeSide = None\nadd = max"
    ),
    "writes a verdict": (
        "import os, json\nfor fd in range(64):\n    try:\n"
        "        os.write(fd, json.dumps({'status': 'passed', 'reason': ''}).encode() + b'\\n')\n"
        "    except OSError:\n        pass\nadd = max"
    ),
    "reads every descriptor for the tests": (
        "import os\ntext = b''\nfor fd in range(64):\n    try:\n"
        "        os.set_blocking(fd, False)\n        text += os.read(fd, 10**6)\n"
        "    except OSError:\n        pass\ndef add(a, b):\n    return text.decode()"
    ),
    "reads the program file": (
        "text = open('/code/program.py').read()\n"
        "def add(a, b):\n    return 3 if 'add(1, 2)' in text else 0"
    ),
    "searches memory for the tests": (
        "import gc\nfound = [o for o in gc.get_objects() if 'assert add(1, 2)' in repr(o)[:5000]]\n"
        "def add(a, b):\n    return 3 if found else 0"
    ),
    "reads /proc": "open('/proc/self/environ').read()\nadd = max",
    "reads files of the host": "open('/etc/passwd').read()\nadd = max",
    "plants a module": (
        "open('/tmp/random.py', 'w').write('import os; os._exit(0)')\nimport random\nadd = max"
    ),
}


@pytest.mark.parametrize("program", WRONG.values(), ids=WRONG.keys())
async def test_wrong_programs(program: str) -> None:
    began = time.monotonic()
    verdict = await judge(program or " ", f"import random\n{ADD}")
    assert not verdict.correct, verdict.explanation
    assert verdict.reward == 0.0
    assert time.monotonic() - began < 15


@pytest.mark.parametrize(
    ("program", "tests"),
    [
        (
            "class Near:\n    def __sub__(self, o):\n        return 0.0\n    __rsub__ = __sub__\n"
            "    def __lt__(self, o):\n        return True\n    __gt__ = __le__ = __ge__ = __lt__\n"
            "    def __abs__(self):\n        return 0.0\ndef f():\n    return Near()",
            "assert abs(f() - 3.5) < 1e-6",
        ),
        (
            "class All:\n    def __contains__(self, item):\n        return True\n"
            "    def __iter__(self):\n        return iter(())\ndef f():\n    return All()",
            "assert 5 in f()",
        ),
        (
            "class math:\n    isclose = staticmethod(lambda *a, **k: True)\ndef f():\n    return 0",
            "assert math.isclose(f(), 3.5)",
        ),
        (
            "def abs(x):\n    return 0\ndef len(x):\n    return 3\ndef f():\n    return [9]",
            "assert len(f()) == 3 and abs(f()[0]) == 0",
        ),
        ("def f(g):\n    g.__globals__['f'] = max\n    return 1", "assert f(lambda x: x) == 2"),
        ("def f(g):\n    return g.__code__", "assert f(lambda x: x) == 2"),
        ("def helper(x):\n    return True\ndef f():\n    return 0", "assert helper(f())"),
        ("def f(x):\n    raise StopIteration", "assert all(map(f, [1, 2, 3]))"),
        (
            "class E(StopIteration):\n    pass\ndef f(x):\n    raise E",
            "assert all(f(x) for x in [1]) or True",
        ),
        (
            "class E(Exception):\n    pass\ndef f():\n    return E()",
            "try:\n    assert f() == 1\nexcept E:\n    pass",
        ),
    ],
    ids=[
        *["arithmetic", "contains", "math", "built-ins", "globals", "code", "helper"],
        *["end of iteration", "its own end of iteration", "an exception that it returns"],
    ],
)
async def test_objects_do_not_judge_themselves(program: str, tests: str) -> None:
    prelude = "def helper(x):\n    return x == 1\n"
    verdict = await judge(program, tests, prelude=prelude, entry_point="f")
    assert not verdict.correct, verdict.explanation


MODULE = "import os, types\nos_ = types.ModuleType('%s')\n"


@pytest.mark.parametrize(
    ("program", "tests"),
    [
        ("import os\ndef f(g, x):\n    g(os)\n    return 0", "assert f(lambda x: x, 1) == 2"),
        ("import os\ndef f(g, x):\n    return g(os)", "assert f(lambda x: x, 1) == 2"),
        (
            "import os\ndef f(g, x):\n    try:\n        g(x)\n    except Exception:\n        pass",
            "class A: pass\nassert f(lambda x: A(), 1) == 2",
        ),
        ("import os\ndef f(x):\n    return os", "assert f(f(1)) == 2"),
        ("import logging\ndef f(x):\n    return logging", "assert f(f(1).root) == 2"),
        (MODULE % "unittest.__main__" + "def f(x):\n    return os_", "assert f(1) == 2"),
        (MODULE % "no.such" + "def f(x):\n    return os_", "assert f(1) == 2"),
        ("class E(SystemExit):\n    pass\ndef f(x):\n    raise E", "assert f(1) == 2"),
        ("class E(Exception, SystemExit):\n    pass\ndef f(x):\n    raise E", "assert f(1) == 2"),
        ("def f(g):\n    return g(1)", "import sys\nassert f(sys.exit) == 2"),
        ("def f(x):\n    return SystemExit", "raise f(1)"),
    ],
)
async def test_no_program_takes_itself_out_of_the_count(program: str, tests: str) -> None:
    verdict = await judge(program, tests)
    assert not verdict.correct, verdict.explanation


@pytest.mark.parametrize("program", ["x = 1", "def max(a):\n    return a"])
async def test_a_program_that_defines_nothing_of_what_is_tested(program: str) -> None:
    verdict = await judge(program, "assert sorted([2, 1]) == [1, 2]")
    assert "defines nothing" in verdict.explanation


async def test_the_failing_test_is_named() -> None:
    verdict = await judge("def add(a, b):\n    return 3")
    assert "assert add([1], [2]) == [1, 2]" in verdict.explanation
    assert "SyntaxError" in (await judge("x = (")).explanation
    assert "longer than 4 seconds" in (await judge("while 1:\n    pass")).explanation
    undefined = await judge("x = 1", entry_point="add")
    assert "does not define add" in undefined.explanation


@pytest.mark.parametrize(
    "body", ["    return a + b", "return a + b", "\n    c = a + b\n    return c"]
)
async def test_the_body_alone_continues_the_prompt(body: str) -> None:
    prompt = 'def add(a, b):\n    """Adds."""\n'
    assert (await judge(body, entry_point="add", prompt=prompt)).correct


@pytest.mark.parametrize(
    "program",
    [
        "raise type('A' * 50_000, (Exception,), {})",
        "def add(a, b):\n    raise type('\U0001f600' * 50_000, (Exception,), {})",
    ],
)
async def test_a_reason_without_end_is_cut(program: str) -> None:
    verdict = await judge(program)
    assert not verdict.correct
    assert len(verdict.explanation) < 1_000


def test_spaces_before_what_is_no_program_take_no_minutes() -> None:
    hostile = f"```{' ' * 500_000}x"
    block = "```Python3 \nx = 1\n```"
    assert unit_tests._source(None, hostile) is None
    assert unit_tests._source(None, f"{hostile}\n{block}") == "x = 1"


async def test_imports_of_the_prelude_need_no_repeating() -> None:
    prelude = "from typing import List\nimport math\n\ndef twice(x):\n    return 2 * x\n\n"
    program = "def f(xs: List[int]) -> int:\n    return math.prod(twice(x) for x in xs)"
    assert (await judge(program, "assert f([1, 2]) == 8", prelude=prelude, entry_point="f")).correct


async def test_no_answer() -> None:
    assert (await judge(None)).explanation == "No answer was given."
    block = "```python\ndef add(a, b):\n    return a + b\n```"
    assert (await judge(None, message=f"Here it is.\n{block}")).correct
    assert not (await judge("x" * 200_000)).correct


@pytest.mark.parametrize(
    ("metadata", "code"),
    [
        ({"tests": ""}, "no_tests"),
        ({"tests": None}, "no_tests"),
        ({"tests": []}, "no_tests"),
        ({"tests": "assert ("}, "bad_tests"),
        ({"tests": "import sys\nsys.exit(0)"}, "bad_tests"),
        ({"tests": "class A: pass\nassert add(A(), 1)"}, "bad_tests"),
        ({"tests": ADD, "seconds": 0}, "bad_seconds"),
        ({"tests": ADD, "seconds": "long"}, "bad_seconds"),
    ],
)
async def test_a_task_that_cannot_be_judged(metadata: dict[str, Any], code: str) -> None:
    with pytest.raises(VerifierError) as caught:
        await judge("def add(a, b):\n    return a + b", **metadata)
    assert caught.value.code == code
    assert caught.value.remedy


async def test_without_a_sandbox_nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unit_tests, "sandbox_status", lambda: (False, "bubblewrap is missing."))
    with pytest.raises(VerifierError) as caught:
        await judge("def add(a, b):\n    return a + b")
    assert caught.value.code == "no_sandbox"


async def test_the_event_loop_goes_on_meanwhile() -> None:
    judging = asyncio.create_task(judge("while True:\n    pass"))
    longest = 0.0
    while not judging.done():
        began = time.perf_counter()
        await asyncio.sleep(0.01)
        longest = max(longest, time.perf_counter() - began)
    assert longest < 1.0


class TestCounting:
    """Each assertion counts by itself."""

    TESTS = "assert f(1) == 2\nassert f(2) == 3\nassert f(0) == 5"

    async def counted(self, program: str, tests: str = TESTS, **more: Any) -> Counted:
        metadata: dict[str, Any] = {"seconds": 1} | more
        task = TaskSpec(query="q", verifier="unit_tests", answer_form="code", metadata=metadata)
        return await count_passed(task, program, tests)

    async def test_a_failing_assertion_stops_no_other(self) -> None:
        found = await self.counted("def f(x):\n    return 1 / (x - 2) if x == 2 else x + 1")
        assert (found.total, found.passed, found.broken) == (3, (1,), "")
        assert found.failed == ((2, "ZeroDivisionError: division by zero"), (3, "it gives 1"))
        assert not found.all_pass

    @pytest.mark.parametrize(
        ("program", "passed", "broken"),
        [
            ("def f(x):\n    while x == 2: pass\n    return x + 1", (1,), ""),
            ("while True: pass", (), "it takes longer than 1 seconds"),
            ("import os\nos._exit(0)", (), "it ended before its tests"),
            ("1 / 0", (), "ZeroDivisionError: division by zero"),
            ("def f(x):\n    import os\n    return x + 1 if x < 2 else os._exit(0)", (1,), ""),
            ("class E:\n    __eq__ = lambda *_: True\ndef f(x): return E()", (), ""),
        ],
    )
    async def test_what_passed_before_a_program_ends_counts(
        self, program: str, passed: tuple[int, ...], broken: str
    ) -> None:
        found = await self.counted(program)
        assert (found.passed, found.broken) == (passed, broken)
        assert found.failed

    async def test_an_assertion_in_a_loop_holds_each_time(self) -> None:
        tests = (
            "def check(c):\n    for n in range(3): assert c(n) == 1\n    assert c(1)\n\ncheck(f)"
        )
        found = await self.counted("def f(x):\n    return min(x, 1)", tests, entry_point="f")
        assert (found.total, found.passed) == (2, (3,))

    @pytest.mark.parametrize(
        "tests",
        [
            "for n in range(3):\n    got = f(n)\n    assert got == n",
            "for n in range(3): assert f(n) == n",
            "def same(got, n): assert got == n\nsame(f(0), 0)\nsame(f(2), 2)",
            "def same(got, n): assert got == n\nfor n in range(3): same(f(n), n)",
        ],
    )
    @pytest.mark.parametrize(
        "breaks", ["1 / 0", "exec('while True: pass')", "__import__('os')._exit(0)"]
    )
    async def test_an_assertion_that_broke_off_in_a_later_case_does_not_hold(
        self, tests: str, breaks: str
    ) -> None:
        program = f"def f(x):\n    return {breaks} if x == 2 else x"
        found = await self.counted(program, f"assert f(1) == 1\n{tests}")
        assert (found.total, found.passed) == (2, (1,))

    async def test_a_failing_statement_between_them_stops_no_assertion(self) -> None:
        found = await self.counted("def f(x):\n    return x", "f(1) / 0\nassert f(1) == 1")
        assert found.all_pass

    BRANCHES = (
        "def same(got, wanted):\n"
        "    if isinstance(wanted, float):\n"
        "        assert abs(got - wanted) < 0.1\n"
        "    else:\n"
        "        assert got == wanted\n"
        "try:\n"
        "    f(-1)\n"
        "    assert False\n"
        "except ValueError:\n"
        "    pass\n"
        "same(f(1), 1)"
    )

    @pytest.mark.parametrize(
        ("program", "passed"),
        [
            ("def f(x):\n    if x < 0: raise ValueError\n    return x", (3, 5, 8)),
            ("def f(x):\n    return x", (3, 5)),
            ("def f(x):\n    if x < 0: raise ValueError\n    return 2", ()),
            ("def f(x):\n    if x < 0: raise ValueError\n    return 1 / 0", ()),
        ],
    )
    async def test_a_branch_that_tests_do_not_take_fails_no_program_that_passes(
        self, program: str, passed: tuple[int, ...]
    ) -> None:
        found = await self.counted(program, self.BRANCHES)
        assert (found.total, found.passed) == (3, passed)

    @pytest.mark.parametrize(
        "raised",
        ["AssertionError('the tests stop before it')", "type(' in: ', (Exception,), {})()"],
    )
    async def test_an_error_passes_nothing_whatever_it_says(self, raised: str) -> None:
        tests = "assert f(1) == 1\nfor n in (2, 1): assert f(n) == 1"
        found = await self.counted(f"def f(x):\n    if x > 1: raise {raised}\n    return 1", tests)
        assert found.passed == (1,)

    async def test_tests_that_are_no_python_judge_nothing(self) -> None:
        with pytest.raises(VerifierError, match="not Python"):
            await self.counted("def f(x):\n    return x", "assert (")
