"""The child: runs the program, then does what the tests ask of its objects."""

import builtins
import importlib
import os
import sys
import types
from collections.abc import Callable
from typing import Any

from workers.core.benchmarks.verifiers.judge.channel import Channel, Ended, Message, failure
from workers.core.benchmarks.verifiers.judge.containers import containers, held, is_changed

APPLIED: dict[str, Callable[..., Any]] = {
    "len": len,
    "iter": iter,
    "next": next,
    "str": str,
    "repr": repr,
    "bool": bool,
    "hash": hash,
    "isinstance": lambda kind, value: isinstance(value, kind),
    "issubclass": lambda kind, value: issubclass(value, kind),
    "enter": lambda value: type(value).__enter__(value),
    "exit": lambda value: type(value).__exit__(value, None, None, None) and None,
    "getitem": lambda value, index: value[index],
    "eq": lambda left, right: left == right,
    "lt": lambda left, right: left < right,
    "add": lambda left, right: left + right,
    "sub": lambda left, right: left - right,
    "mul": lambda left, right: left * right,
}


class ProgramSide(Channel):
    """`objects[0]` is the program's module."""

    def serve(self) -> None:
        while True:
            self.send(self.answer(self.receive()))

    def answer(self, request: Message) -> Message:
        try:
            operation: Callable[[Message], Message] = getattr(self, f"op_{request['op']}")
            return operation(request)
        except Ended:
            raise
        except BaseException as error:  # whatever the program raises is its result
            return self.failed(error)

    def failed(self, error: BaseException) -> Message:
        """An error, with its class if that is the program's, so the tests can catch it."""
        own = isinstance(error, Exception) and type(error) not in vars(builtins).values()
        return failure(error) | ({"class": self.encode(type(error))} if own else {})

    def op_lookup(self, request: Message) -> Message:
        names = vars(self.kept(0))
        name = request["name"]
        return {"value": self.encode(names[name])} if name in names else {"missing": True}

    def op_call(self, request: Message) -> Message:
        args = [self.decode(item) for item in request["args"]]
        kwargs = {name: self.decode(item) for name, item in request["kwargs"].items()}
        given = containers([*args, *kwargs.values()])
        before = [held(each) for each in given]
        value = self.kept(request["id"])(*args, **kwargs)
        self.given = {id(each): place for place, each in enumerate(given)}
        try:
            # what the function did to its arguments must be seen by the tests that gave them
            changed = [
                [place, self.encode_content(each)]
                for place, each in enumerate(given)
                if is_changed(each, before[place])
            ]
            return {"given": changed, "value": self.encode(value)}
        finally:
            self.given = {}

    def op_get(self, request: Message) -> Message:
        return {"value": self.encode(getattr(self.kept(request["id"]), request["name"]))}

    def op_set(self, request: Message) -> Message:
        setattr(self.kept(request["id"]), request["name"], self.decode(request["value"]))
        return {"value": None}

    def op_apply(self, request: Message) -> Message:
        args = [self.decode(item) for item in request["args"]]
        return {"value": self.encode(APPLIED[request["name"]](self.kept(request["id"]), *args))}

    def encode_object(self, value: Any) -> Message:
        if isinstance(value, types.ModuleType):
            return {"module": value.__name__}
        if isinstance(value, type) and issubclass(value, Exception):
            bases = [self.encode(base) for base in value.__bases__]
            return {"exception": [self.keep(value), value.__name__, bases]}
        return {"object": self.keep(value)}

    def decode_object(self, kind: str, content: Any) -> Any:
        if kind == "yours":
            return self.kept(content)
        if kind == "module":
            return importlib.import_module(content)
        if kind == "iterator":
            step = self.decode_object("callback", content)
            return (item for (item,) in iter(step, []))
        if kind != "callback":
            raise Ended

        def callback(*args: Any) -> Any:
            reply = self.ask(op="callback", id=content, args=[self.encode(item) for item in args])
            if "error" in reply:
                raise RuntimeError(f"{reply['error']}: {reply['message']}")
            return self.decode(reply["value"])

        return callback


def run_program(reading: int, writing: int, work: dict[str, str]) -> None:
    """Discard its prints and give it nothing to read."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    side = ProgramSide(reading, writing)
    module = types.ModuleType("answer")
    sys.modules["answer"] = module
    side.keep(module)
    try:
        for part in (work["prelude"], work["program"]):
            # the sandbox around this process is what makes running it safe
            exec(compile(part, "answer.py", "exec", dont_inherit=True), vars(module))  # noqa: S102
    except BaseException as error:  # leaving early is how a program can fail, too
        side.send(failure(error))
        return
    side.send({"ready": True})
    side.serve()
