"""Python's operations on values that are known, with bounds on what they may make."""

import ast
import operator
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from workers.core.scripts.blocks import Block
from workers.core.scripts.language import (
    DICT_METHODS,
    LIST_METHODS,
    MESSAGE_PARTS,
    SET_METHODS,
    TEXT_METHODS,
)
from workers.core.scripts.values import Function, Named, Said, TooLarge, Unknown, Value

MOST_TEXT = 50_000
MOST_ITEMS = 5_000
MOST_RANGE = 20_000
MOST_KEY = 1_000
"""Parts of a tuple that is a key, each as often as it stands there: Python hashes all of them."""
_MOST_DIGITS = 400
"""Rounding at more changes nothing, or leaves 0: no number here is that long."""
_MOST_BITS = 256
_SHOWN_ERROR = 160

T = TypeVar("T")


class Fault(Exception):
    """What the script does here can't work."""

    def __init__(self, code: str, message: str, remedy: str) -> None:
        super().__init__(message)
        self.code, self.message, self.remedy = code, message, remedy


CHANGING: Final = LIST_METHODS - {"copy", "count", "index"} | {
    "add",
    "discard",
    "setdefault",
    "update",
}
_METHODS: dict[type, frozenset[str]] = {
    str: TEXT_METHODS,
    list: LIST_METHODS,
    tuple: frozenset({"count", "index"}),
    dict: DICT_METHODS,
    set: SET_METHODS,
}
_BINARY: dict[type[ast.operator], Callable[..., Value]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_COMPARE: dict[type[ast.cmpop], Callable[..., object]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda left, right: operator.contains(_held(right), left),
    ast.NotIn: lambda left, right: not operator.contains(_held(right), left),
}
_UNARY: dict[type[ast.unaryop], Callable[..., Value]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_BUILTINS: dict[str, Callable[..., Value]] = {
    "abs": abs,
    "bool": bool,
    "float": float,
    "int": int,
    "len": len,
    "max": max,
    "min": min,
    "range": range,
    "round": round,
    "sorted": sorted,
    "str": str,
    "sum": sum,
}
_COLLECTED: dict[str, Callable[..., Value]] = {
    "list": list,
    "tuple": tuple,
    "set": set,
    "reversed": lambda held: list(reversed(held)),
    "enumerate": lambda held, start=0: [*map(tuple, enumerate(held, start))],
    "zip": lambda *held, strict=False: list(zip(*held, strict=strict)),
    "dict": dict,
}


def guarded(make: Callable[[], T]) -> T:
    """What is made, if it is not too large. Python's own errors become a Fault."""
    try:
        made = make()
    except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError) as error:
        raise _failed(error) from None
    _bounded(made)
    return made


def _failed(error: Exception) -> Fault:
    said = str(error).replace("'Said'", "a message").replace("'Unknown'", "a text")
    if isinstance(error, KeyError):
        said = f"there is no {said}"
    return Fault("fails", f"This fails: {said[:_SHOWN_ERROR]}.", "Correct the line.")


def _bounded(value: object) -> None:
    too_large = (
        (isinstance(value, str) and len(value) > MOST_TEXT)
        or (isinstance(value, list | tuple | set | dict) and len(value) > MOST_ITEMS)
        or (isinstance(value, int) and value.bit_length() > _MOST_BITS)
    )
    if too_large:
        raise TooLarge


def kind_of(value: Value) -> str:
    names = {"NoneType": "None", "Function": "function", "Named": "function", "Said": "message"}
    found = type(value).__name__
    return f"a {value.kind}" if isinstance(value, Block) else names.get(found, found)


def no_text(what: str) -> Fault:
    return Fault(
        "fails",
        f"A message is no text and can't be {what}.",
        "Write .text after it: message.text",
    )


def items(value: Value) -> list[Value]:
    """What a known value holds, in order."""
    match value:
        case list() | tuple() | dict():
            return list(value)
        case set():
            return sorted(value, key=repr)
        case str():
            _bounded(value)
            return list(value)
        case range():
            _bounded_range(value)
            return [*value]
        case Said():
            raise no_text("gone through")
    raise Fault("fails", f"{kind_of(value)} can't be gone through.", "Use a list or range(…).")


def size(value: Value) -> int:
    return len(value) if isinstance(value, str | list | tuple | dict | set | range) else 0


def _bounded_range(value: range) -> None:
    try:
        if len(value) <= MOST_RANGE:
            return
    except OverflowError:
        pass
    raise TooLarge


def _held(value: object) -> list[Value] | str | set[Value] | dict[Value, Value]:
    if isinstance(value, str | set | dict):
        return value
    return items(value)


def part(value: Value, name: str) -> Value:
    """A part of a message, such as `.text`."""
    if isinstance(value, Said):
        return Unknown(frozenset(value.calls), said=value if name == "text" else None)
    if isinstance(value, Unknown):
        return Unknown(value.calls)
    if isinstance(value, Block) and name in MESSAGE_PARTS:
        raise Fault(
            "fails",
            f"{kind_of(value).capitalize()} has no .{name} before it is asked.",
            "Call it first: answer = block()",
        )
    raise Fault(
        "fails",
        f"{kind_of(value).capitalize()} has no .{name}.",
        "Only a message has it: the result of calling a block.",
    )


def hashable(value: Value) -> Value:
    def tried() -> Value:
        hash(value)
        return value

    _bounded_key(value)
    return guarded(tried)


def _bounded_key(value: Value) -> None:
    parts, count = [value], 0
    while parts:
        one = parts.pop()
        parts += one if isinstance(one, tuple) else ()
        count += 1
        if count + len(parts) > MOST_KEY:
            raise TooLarge


def set_item(held: Value, key: Value, value: Value) -> None:
    if isinstance(held, Unknown) or isinstance(key, Unknown | Said):
        return
    if isinstance(held, list):
        guarded(lambda: operator.setitem(held, key, value))  # type: ignore[call-overload]  # Python says what is wrong
    elif isinstance(held, dict):
        held[hashable(key)] = value
    else:
        raise Fault("fails", f"Nothing can be put into {kind_of(held)}.", "Use a list or a dict.")
    _bounded(held)


def item(held: Value, key: Value) -> Value:
    if isinstance(held, range):
        _bounded_range(held)
    if isinstance(held, Block | Function | Named):
        raise Fault("fails", f"{kind_of(held)} has no parts.", "Use a list or a dict.")
    return guarded(lambda: operator.getitem(held, key))  # type: ignore[call-overload]  # Python says what is wrong


def made_slice(*bounds: Value) -> slice:
    return slice(*bounds)


def unary(op: ast.unaryop, value: Value) -> Value:
    return guarded(lambda: _UNARY[type(op)](value))


def binary(op: ast.operator, left: Value, right: Value) -> Value:
    if isinstance(op, ast.Mod) and isinstance(left, str):
        raise Fault("not_allowed", "A script has no “%” for texts.", 'Write f"… {value} …".')
    if isinstance(op, ast.Mult):
        _bounded_repetition(left, right)
        _bounded_repetition(right, left)
    if isinstance(op, ast.Pow):
        _bounded_power(left, right)
    made = guarded(lambda: _BINARY[type(op)](left, right))
    if isinstance(made, complex):
        raise Fault("fails", "The result is no real number.", "Correct the line.")
    return made


def _bounded_repetition(held: Value, times: Value) -> None:
    if not (isinstance(held, str | list | tuple) and isinstance(times, int)):
        return
    if len(held) * times > (MOST_TEXT if isinstance(held, str) else MOST_ITEMS):
        raise TooLarge


def _bounded_power(base: Value, exponent: Value) -> None:
    if not (isinstance(base, int) and isinstance(exponent, int)):
        return
    if base.bit_length() * exponent > _MOST_BITS:
        raise TooLarge


def compare(op: ast.cmpop, left: Value, right: Value) -> bool:
    return bool(guarded(lambda: _COMPARE[type(op)](left, right)))


def builtin(name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    if name == "range":
        made = guarded(lambda: _unbounded(range, arguments, keywords))
        _bounded_range(made[0])
        return made[0]
    if name == "sum":
        for each in items(arguments[0]) if arguments else []:
            if isinstance(each, list | tuple):
                raise Fault("fails", "sum adds numbers, not lists.", "Write a comprehension.")
    if name == "round":
        arguments = [*arguments[:1], *map(_digits, arguments[1:])]
        keywords = {
            key: _digits(each) if key == "ndigits" else each for key, each in keywords.items()
        }
    if name in {"max", "min", "sorted", "sum", "len"}:
        arguments = [items(each) if isinstance(each, range) else each for each in arguments]
    return guarded(lambda: _BUILTINS[name](*arguments, **keywords))


def _digits(wanted: Value) -> Value:
    """Python computes the power of ten of a whole number's digits, however large it is."""
    return max(-_MOST_DIGITS, min(wanted, _MOST_DIGITS)) if isinstance(wanted, int) else wanted


def _unbounded(
    kind: Callable[..., range], arguments: list[Value], keywords: dict[str, Value]
) -> tuple[range]:
    return (kind(*arguments, **keywords),)


def collected(name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    """list, tuple, set, dict, zip, enumerate, reversed of what is known to be held."""
    if name == "dict":
        held = [
            each if isinstance(each, dict) else [tuple(items(pair)) for pair in items(each)]
            for each in arguments
        ]
        return guarded(lambda: _COLLECTED["dict"](*held, **keywords))
    places = 1 if name == "enumerate" else len(arguments)
    given = [*map(items, arguments[:places]), *arguments[places:]]
    for each in items(arguments[0]) if name == "set" and arguments else ():
        hashable(each)
    return guarded(lambda: _COLLECTED[name](*given, **keywords))


def ordered(keys: Sequence[Value], *, reverse: bool = False) -> list[int]:
    """The places of keys, smallest first."""
    places = range(len(keys))
    return guarded(lambda: sorted(places, key=lambda place: keys[place], reverse=reverse))  # type: ignore[arg-type,return-value]  # Python says what is wrong


def viewed(held: list[Value] | dict[Value, Value] | set[Value], name: str) -> Value:
    """keys, values, items or a copy."""
    if isinstance(held, dict) and name == "items":
        return [*held.items()]
    if isinstance(held, dict) and name in {"keys", "values"}:
        return [*held] if name == "keys" else [*held.values()]
    if name == "copy":
        return held.copy()
    raise _no_method(held, name)


def method(held: Value, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    """A method of a text, list, tuple, dict or set."""
    has_method(held, name)
    if isinstance(held, str) and name == "replace" and len(arguments) >= 2:
        old, new = arguments[:2]
        if isinstance(old, str) and isinstance(new, str):
            times = held.count(old)
            if len(held) + times * len(new) > MOST_TEXT:
                raise TooLarge
    if isinstance(held, str) and name == "join" and arguments:
        given = items(arguments[0])
        size = sum(len(each) for each in given if isinstance(each, str))
        if size + len(held) * len(given) > MOST_TEXT:
            raise TooLarge
        arguments = [given, *arguments[1:]]
    made = guarded(lambda: getattr(held, name)(*arguments, **keywords))
    _bounded(held)
    return made


def has_method(held: Value, name: str) -> None:
    """Raises Fault if it has none of that name."""
    if name not in _METHODS.get(type(held), ()):
        raise _no_method(held, name)


def _no_method(held: Value, name: str) -> Fault:
    if isinstance(held, Block):
        return Fault("fails", f"A block has no .{name}(…).", "Call the block: block(message).")
    listed = ", ".join(sorted(_METHODS.get(type(held), ())))
    what = kind_of(held)
    return Fault(
        "fails",
        f"{what[0].upper()}{what[1:]} has no .{name}(…).",
        f"It has: {listed}." if listed else "Remove it.",
    )


def bound(
    function: Function, arguments: Sequence[Value], keywords: dict[str, Value]
) -> dict[str, Value]:
    """The names of a function's arguments with their values."""
    wanted = [arg.arg for arg in function.node.args.args]
    first_default = len(wanted) - len(function.defaults)
    names = dict(zip(wanted[first_default:], function.defaults, strict=True))
    problem = None
    if len(arguments) > len(wanted):
        problem = f"takes {len(wanted)} arguments, not {len(arguments)}"
    names |= zip(wanted, arguments, strict=False)
    for name, value in keywords.items():
        if name not in wanted:
            problem = problem or f"has no argument {name!r}"
        elif name in wanted[: len(arguments)]:
            problem = problem or f"is given {name!r} twice"
        names[name] = value
    missing = [name for name in wanted if name not in names]
    if missing:
        problem = problem or f"lacks the argument {missing[0]!r}"
    if problem:
        raise Fault(
            "bad_argument",
            f"The function {function.name} {problem}.",
            f"It takes: {', '.join(wanted) or 'nothing'}.",
        )
    return names
