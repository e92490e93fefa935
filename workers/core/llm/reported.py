"""One reader for errors, wherever a server puts them.

Errors come in the body of an HTTP error, in a body or a stream that began with status 200, and
beside a choice. The error's own code counts: a proxy's status often says less.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workers.core.llm.retry import read_seconds, read_words
from workers.core.llm.texts import load_json, text_of

MOST_CHARS = 4_000
QUOTA = 402

_MESSAGE_KEYS = (
    *("message", "detail", "msg", "error_msg", "status_msg", "error", "reason", "title"),
    *("faultstring", "exception"),
)
_CODE_KEYS = ("code", "type", "status", "error_code", "status_code", "statuscode")
_WRAPPERS = ("error", "errors", "base_resp", "fault")
_FAILED = frozenset({"error", "exception", "fail", "failed", "failure"})
_WENT_WELL = re.compile(r"0*|20*|2\d\d|ok|success|succeeded")
_HOLDS_NO_ANSWER = ("error", "errors", "detail", "error_msg", "error_code", "fault", "exception")
_OUTRANKED = frozenset({400, 422, 500, 502, 503})
_OUTRANKING = frozenset({QUOTA, 401, 404, 429})
"""What a code in words may mean. It counts more than one of the HTTP statuses above."""

CONTEXT = re.compile(
    r"context.{0,24}(length|size|window|limit|overflow)"
    r"|(length|size|window) of (the )?context"
    r"|(prompt|input|inputs|query|messages?|conversation)\b.{0,40}\btoo (long|large)"
    r"|too (long|large) for (this |the |requested )?.{0,40}\bmodel\b"
    r"|longer than (the )?(model|max)\w*|(larger|greater) than (max_seq|the model capacity)"
    r"|prompt length\b.{0,80}\bshould not exceed|input.length.error"
    r"|input token count is \d+ but|(prompt|input) has \d+ tokens,? but|expected maxLength: \d{4}"
    r"|total number of tokens\b.{0,20}exceed"
    r"|(prompt|input|inputs)\b.{0,60}\b(exceeds?|exceeded|exceeding|longer than)\b"
    r".{0,60}\b(length|tokens?|limit)"
    r"|(prompt|input|token) (length|count|tokens)\b.{0,30}exceed"
    r"|maximum prompt length|max_model_len|range of input length|prompt 超长"
    r"|exceeded model token limit|tokens_limit_reached|exceed_context"
    r"|inputs\W{0,2} (tokens \+|must have less than)"
    r"|too many (input |prompt )?tokens(?! per\b)(?!.{0,20}\bwait)"
    r"|reduce the length of the (messages|prompt|input)",
    re.IGNORECASE | re.DOTALL,
)
"""“The prompt is too long” in the words of OpenAI, vLLM, SGLang, TGI, llama.cpp, Ollama, LM Studio,
Anthropic, Bedrock, Gemini, Vertex, Mistral, Cohere, xAI, Groq, Kimi, MiniMax, Z.ai, DashScope,
TensorRT-LLM, LMDeploy, MLC and TabbyAPI."""

_IN_WORDS = re.compile(
    r"\b(error|fail(ed|ure|s)?|exception|time[d -]?out|abort(ed)?|refused|denied|invalid"
    r"|exceed(s|ed)?|overloaded|unavailable|unauthori[sz]ed|forbidden|crash(ed)?|disconnect(ed)?"
    r"|out of memory|not (found|allowed|supported)|too many|rate.?limit(ed)?|bad gateway)\b",
    re.IGNORECASE,
)
"""Words of a plain text that make it an error, where an answer or a ping should be."""

_BY_CODE: tuple[tuple[re.Pattern[str], int], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), status)
    for pattern, status in (
        (r"insufficient.(quota|balance|credit|funds)|billing|payment.required", QUOTA),
        (r"rate.?limit|too.?many.?requests|throttl|resource.?exhausted|quota", 429),
        (r"(invalid|incorrect|missing|no).?api.?key|authenticat|unauthori[sz]ed", 401),
        (r"permission|forbidden|access.?denied", 403),
        (r"model.?not.?found|does.not.exist", 404),
        (r"overloaded|unavailable|server.?error|internal|engine|timed?.?out", 503),
        (r"bad.?request|invalid.?(request|argument|param)|validation|unprocessable", 400),
    )
)


@dataclass(frozen=True, slots=True)
class Said:
    """An error as the server reported it. `code` is its codes and types as text.

    `own` is the HTTP status in the error itself, as a number or in words; 0: none. `fields` are the
    request's fields that it names outside its text.
    """

    message: str
    code: str = ""
    own: int = 0
    fields: frozenset[str] = field(default_factory=frozenset)
    retry_after: float | None = None

    def status(self, http: int = 0) -> int:
        """The status that counts: its own number, then a code in words, then `http`, then its text.

        0: it only says that the request failed.
        """
        if self.own:
            return self.own
        by_code = _look_up(self.code)
        if http:
            return by_code if http in _OUTRANKED and by_code in _OUTRANKING else http
        return 400 if self.speaks_of_context() else by_code or _look_up(self.message)

    def speaks_of_context(self) -> bool:
        text = f"{self.code} {self.message}"
        return bool(CONTEXT.search(text) or CONTEXT.search(text.replace("_", " ")))


class Reported(Exception):
    """A server reported an error. `http` is its status, 0 in a reply that began with 200.

    `spoke`: a part of an answer had come before.
    """

    def __init__(self, said: Said, *, http: int = 0, spoke: bool = False) -> None:
        super().__init__(said.message)
        self.said = said
        self.http = http
        self.spoke = spoke


def read_error(body: bytes) -> Said:
    """The error in the body of an HTTP error, which may be any text."""
    try:
        data = load_json(body)
    except ValueError:
        return Said(body[:MOST_CHARS].decode(errors="replace"))
    return describe(data)


def find_words(text: bytes) -> Said | None:
    """The error in a plain text that stands where an answer should be."""
    words = text[:MOST_CHARS].decode(errors="replace").strip().strip("\"'")
    return Said(words) if _IN_WORDS.search(words) else None


def find_error(data: dict[str, Any], *, piece: bool = False) -> Said | None:
    """The error in what should be an answer or a piece of one; None if it has none.

    An `error` counts everywhere. Other signs of an error count only without a choice. A message
    without a code counts only in a whole answer: in a stream it may be about a queue.
    """
    choices = data.get("choices")
    if not choices:  # AWS and others, who write `Error`, are not read for each piece of an answer
        data = _lowered(data)
        choices = data.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    delta = choice.get("delta") if isinstance(choice, dict) else None
    for place in (data, choice, delta):
        if isinstance(place, dict) and "error" in place and _is_error(place["error"]):
            return describe({"error": place["error"]})
    if choice is not None:
        return None
    told = any(_is_error(data.get(key)) for key in (*_HOLDS_NO_ANSWER, "base_resp"))
    bare = any(isinstance(data.get(k), str) and data[k] for k in ("message", "msg"))
    code = str(data.get("code") or "").lower()
    bare = bare and (not piece or not _WENT_WELL.fullmatch(code))
    return describe(data) if told or _failed(data) or bare else None


def _failed(data: Mapping[str, Any]) -> bool:
    """Whether an object without a choice says that the request failed."""
    words = (text_of(data.get(key)).lower() for key in ("object", "type", "status"))
    if any(word in _FAILED for word in words):
        return True
    if data.get("success") is False or data.get("ok") is False or data.get("error") is True:
        return True
    codes = (_number(data.get(key)) for key in _CODE_KEYS)
    return any(code >= 400 and not _WENT_WELL.fullmatch(str(code)) for code in codes)


def _lowered(data: Mapping[str, Any]) -> dict[str, Any]:
    """With keys in lower case: AWS and others write `Message`, `Error`, `statusCode`."""
    return {key.lower(): value for key, value in data.items()}


def describe(data: object) -> Said:
    """An error in any shape: OpenAI's, vLLM's, FastAPI's, Mistral's, a list, a bare text."""
    inner = _unwrapped(data)
    if not isinstance(inner, Mapping):
        return Said(_words(inner))
    codes = [inner.get(key) for key in _CODE_KEYS]
    own = next((n for code in codes if 400 <= (n := _number(code)) < 600), 0)
    told = [str(code) for code in codes if isinstance(code, str | int) and str(code).strip()]
    message = next((words for key in _MESSAGE_KEYS if (words := _words(inner.get(key)))), "")
    metadata = inner.get("metadata")
    metadata = metadata if isinstance(metadata, Mapping) else {}
    if raw := _words(metadata.get("raw")):  # OpenRouter passes on its provider's words
        message = f"{message}: {raw}"
    return Said(
        message[:MOST_CHARS],
        " ".join(told)[:MOST_CHARS],
        own,
        frozenset(_fields(inner)),
        _wait(message, metadata.get("retry_after_seconds", inner.get("retry_after"))),
    )


def _wait(message: str, seconds: object) -> float | None:
    """Seconds to wait, from the error's own field or from its words."""
    told = read_seconds(seconds)
    return read_words(message) if told is None else told


def _unwrapped(data: object) -> object:
    """The innermost object or text. Codes outside it are kept."""
    for _ in range(4):
        if isinstance(data, list) and data and isinstance(data[0], Mapping | str):
            if isinstance(data[0], Mapping) and "msg" in data[0]:
                return {"detail": data}
            data = data[0]
            continue
        if not isinstance(data, Mapping):
            break
        data = _lowered(data)
        key = next((key for key in _WRAPPERS if _is_error(data.get(key))), None)
        if key is None:
            break
        inner = data[key]
        if isinstance(inner, str):
            inner = {"message": inner}
        if not isinstance(inner, Mapping | list):
            break
        outer = {code: data[code] for code in _CODE_KEYS if code in data}
        data = {**outer, **inner} if isinstance(inner, Mapping) else inner
    return data


def _words(value: object) -> str:
    """Text; pydantic's list of complaints as “field: complaint”."""
    if isinstance(value, str):
        return value.strip()[:MOST_CHARS]
    if isinstance(value, list):
        return "; ".join(words for item in value[:8] if (words := _words(item)))[:MOST_CHARS]
    if isinstance(value, Mapping):
        place = value.get("loc")
        where = ".".join(str(part) for part in place) if isinstance(place, list) else ""
        said = next((words for key in _MESSAGE_KEYS if (words := _words(value.get(key)))), "")
        return f"{where}: {said}" if where and said else said
    return "" if value is None or isinstance(value, bool) else str(value)[:MOST_CHARS]


def _fields(inner: Mapping[str, Any]) -> list[str]:
    """`param` of OpenAI, `loc` of pydantic. The first part of a path names the field."""
    named = [inner["param"]] if isinstance(inner.get("param"), str) else []
    queue: list[object] = [inner.get("detail"), inner.get("message"), inner.get("msg")]
    while queue:
        at = queue.pop()
        if isinstance(at, Mapping):
            place = at.get("loc")
            if isinstance(place, list):
                path = [str(part) for part in place if part != "body"]
                named += path[:1]
            queue += [at.get("detail"), at.get("message")]
        elif isinstance(at, list):
            queue += at[:8]
    return named


def _is_error(value: object) -> bool:
    """Whether it is an error. Some servers add an empty one, or one with code 0, to answers."""
    if isinstance(value, Mapping):
        value = _lowered(value)
        told = any(_words(value.get(key)) for key in _MESSAGE_KEYS)
        codes = [value.get(key) for key in _CODE_KEYS]
        success = any(code in (0, "0") for code in codes)
        return not success and (told or any(codes))
    return bool(value) and value is not True


def _number(code: object) -> int:
    if isinstance(code, bool):
        return 0
    if isinstance(code, str) and code.strip().isdecimal():
        code = int(code.strip()[:9])
    return code if isinstance(code, int) else 0


def _look_up(text: str) -> int:
    return next((status for pattern, status in _BY_CODE if pattern.search(text)), 0)
