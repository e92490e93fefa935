"""What servers send that are not quite OpenAI's, byte by byte, and what it means.

Each case is one reply of the stub. `text` is the right answer, or `code` the right error.
"""

import json
from dataclasses import dataclass
from typing import Any

from workers.core.testing.stub_settings import End, Raw

DONE = "data: [DONE]\n\n"
USAGE = {"prompt_tokens": 5, "completion_tokens": 3}


@dataclass(frozen=True, slots=True)
class Case:
    """`said` stands in the error's message. `tries` is how often the server is asked."""

    name: str
    raw: Raw
    text: str | None = None
    code: str = ""
    said: str = ""
    tries: int = 1
    finish: str = "stop"
    tokens: int | None = None
    reasoning: str = ""
    refusal: str = ""


def event(delta: dict[str, Any] | None = None, finish: str | None = None, **more: Any) -> str:
    choice = {"index": 0, "delta": delta or {}, "finish_reason": finish}
    return sent({"choices": [choice], **more})


def sent(data: object) -> str:
    return f"data: {json.dumps(data)}\n\n"


def words(*texts: str) -> str:
    return "".join(event({"content": text}) for text in texts)


def stream(*chunks: str, end: End = "end", **fields: Any) -> Raw:
    return Raw(chunks, end=end, **fields)


def whole(data: object, **fields: Any) -> Raw:
    body = data if isinstance(data, str) else json.dumps(data)
    return Raw((body,), **{"content_type": "application/json", **fields})


def answer(text: str, finish: str | None = "stop", **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish}], **more}


def halves(*texts: str) -> str:
    """Events whose JSON keeps half characters: json.dumps writes them as escapes."""
    return "".join(
        f'data: {{"choices":[{{"delta":{{"content":"{text}"}}}}]}}\n\n' for text in texts
    )


STOP = event(finish="stop")
HALF = words("Half", " an")
GOOD = words("A", "B") + STOP + DONE
INVALID_KEY = {"error": {"message": "Invalid API key"}}
LIMITED = {"error": {"message": "Rate limit reached", "code": 429}}

BROKEN: dict[str, Any] = {"code": "stream_interrupted", "tries": 2}

FINISH = (
    Case("cut after null as text", stream(event({"content": "Half"}, "null"),
         event({"content": " an"}, "null"), end="cut"), **BROKEN),
    *(
        Case(f"ended after {reason!r}", stream(event({"content": "Half"}, reason)), **BROKEN)
        for reason in ("null", "", "None", "FINISH_REASON_UNSPECIFIED", "unknown")
    ),
    Case("its own word for an end", stream(words("AB"), event(finish="eos")), text="AB"),
    Case("a word that is not known", stream(words("AB"), event(finish="so_there")), text="AB",
         finish="so_there"),
    *(
        Case(f"cut at {reason}", stream(words("AB"), event(finish=reason)), text="AB",
             finish="length")
        for reason in ("length", "MAX_TOKENS", "model_length", "max_output_tokens")
    ),
    *(
        Case(f"cut by the words of {reason}", stream(words("AB"), event(finish=reason)),
             text="AB", finish="length")
        for reason in ("max_new_tokens", "token_limit_reached", "MAX_OUTPUT_TOKENS_EXCEEDED",
                       "context_window_exceeded", "cut_off", "maximum_tokens", "stop_max_tokens")
    ),
    *(
        Case(f"failed by the words of {reason}", stream(HALF, event(finish=reason), DONE),
             code="server_error", said=reason, tries=2)
        for reason in ("upstream_error", "USER_CANCEL", "client disconnected", "OTHER",
                       "MALFORMED_RESPONSE", "time_limit", "oom", "ERROR_LIMIT")
    ),
    *(
        Case(f"filtered by the words of {reason}", stream(words("AB"), event(finish=reason)),
             text="AB", finish="content_filter")
        for reason in ("ERROR_TOXIC", "MODEL_ARMOR", "content_policy_violation", "blocked")
    ),
    *(
        Case(f"stopped by {reason}", stream(words("AB"), event(finish=reason)), text="AB")
        for reason in ("stop_token", "EOS_TOKEN_ID", "end_of_text")
    ),
    *(
        Case(f"a name for an end: {reason}", stream(words("AB"), event(finish=reason)),
             text="AB", finish=reason)
        for reason in ("normal", "room_closed", "skill_done")
    ),
    Case("whole, null as text", whole(answer("AB", "null")), text="AB"),
    Case("whole, MAX_TOKENS", whole(answer("AB", "MAX_TOKENS")), text="AB", finish="length"),
)  # fmt: skip

FAILED_CHOICES = (
    Case(
        "an error beside the choice",
        stream(HALF, sent({"error": {"code": 502, "message": "Provider gone"},
                           "choices": [{"delta": {"content": ""}, "finish_reason": "error"}]})),
        code="server_error", said="Provider gone", tries=2,
    ),
    Case(
        "an error in the choice",
        stream(HALF, sent({"choices": [{"delta": {}, "finish_reason": "error",
                                        "error": {"code": 429, "message": "Slow down"}}]})),
        code="rate_limited", said="Slow down", tries=2,
    ),
    Case("the reason alone", stream(HALF, event(finish="error")), code="server_error",
         said="“error”", tries=2),
    Case("aborted", stream(HALF, event(finish="abort"), DONE), code="server_error", tries=2),
    Case("no resources", stream(HALF, event(finish="insufficient_system_resource"), DONE),
         code="server_error", tries=2),
    Case("whole, failed", whole(answer("Half", "error")), code="server_error", tries=2),
    *(
        Case(f"an error event after half an answer: {data}",
             stream(HALF, f"event: error\ndata: {data}\n\n", DONE),
             code="server_error", said=said, tries=2)
        for data, said in (("Engine stopped", "Engine stopped"), ("", ""),
                           ('{"message": "Engine died"}', "Engine died"))
    ),
    *(
        Case(f"a text after half an answer: {data}", stream(HALF, f"data: {data}\n\n", DONE),
             code="server_error", said=data.strip('"'), tries=2)
        for data in ("Error: upstream timeout", '"engine crashed"',
                     "The upstream connection failed after 60 seconds (request 77); please retry")
    ),
    *(
        Case(f"an object after half an answer: {data}", stream(HALF, sent(data), DONE),
             code="server_error", said="Gone", tries=2)
        for data in ({"type": "error", "message": "Gone"}, {"status": "failed", "reason": "Gone"},
                     {"status": 500, "title": "Gone"}, {"Error": {"Message": "Gone"}},
                     {"code": "InternalFailure", "message": "Gone"},
                     {"choices": [{"delta": {"error": "Gone"}}]})
    ),
    Case("an empty error beside a good answer",
         whole(answer("AB", error={"code": 0, "message": ""})), text="AB"),
    Case("no error beside a good answer", whole(answer("AB", error=None)), text="AB"),
)  # fmt: skip

OTHER_EVENTS = (
    Case("usage without choices", stream(words("AB"), STOP, sent({"usage": USAGE}), DONE),
         text="AB", tokens=3),
    Case("usage with choices null",
         stream(words("AB"), STOP, sent({"choices": None, "usage": USAGE}), DONE),
         text="AB", tokens=3),
    Case("usage beside the choice",
         stream(words("AB"), sent({"choices": [{"delta": {}, "finish_reason": "stop",
                                                "usage": USAGE}]})), text="AB", tokens=3),
    Case("usage before an empty one",
         stream(words("AB"), event(finish="stop", usage=USAGE), event(usage={}),
                event(usage={"prompt_tokens": 0, "completion_tokens": 0}), DONE),
         text="AB", tokens=3),
    Case("Groq's usage", stream(words("AB"), event(finish="stop", x_groq={"usage": USAGE})),
         text="AB", tokens=3),
    Case("usage by other names",
         stream(words("AB"), STOP, event(usage={"input_tokens": 5, "output_tokens": 3})),
         text="AB", tokens=3),
    Case("a choice that is null", stream(words("A"), sent({"choices": [None]}), words("B"), STOP),
         text="AB"),
    Case("a code that went well", stream(sent({"code": "00000", "message": "ok"}), GOOD),
         text="AB"),
    Case("a gateway's code that went well",
         stream(sent({"code": 20000, "message": "Ok"}), GOOD), text="AB"),
    Case("a queue with a code", stream(sent({"code": 202, "message": "queued"}), GOOD), text="AB"),
    Case("a queue", stream(sent({"status": "queued", "message": "Your place is 3."}), GOOD),
         text="AB"),
    Case("ping as an object", stream('event: ping\ndata: {"type": "ping"}\n\n', GOOD), text="AB"),
    Case("ping as a word", stream(words("A"), "event: ping\ndata: ping\n\n", words("B"), STOP),
         text="AB"),
    Case("a first event without choices",
         stream(sent({"id": "x", "prompt_filter_results": []}), GOOD), text="AB"),
    Case("empty data", stream("data:\n\n", words("A"), "data: \n\n", words("B"), STOP), text="AB"),
    Case("comments", stream(": PROCESSING\n\n", ": keep-alive\n\n", GOOD), text="AB"),
    Case("data null", stream("data: null\n\n", GOOD), text="AB"),
    Case("events that no blank line parts",
         stream(GOOD.replace("\n\n", "\n"), "\n"), text="AB"),
    Case("framed twice", stream(GOOD.replace("data: ", "data: data: ")), text="AB"),
    Case("the whole message as one event", stream(sent(answer("AB")), DONE), text="AB"),
)  # fmt: skip

DONE_MARKS = tuple(
    Case(f"done as {mark!r}", stream(words("A", "B"), f"data:{mark}\n\n"), text="AB")
    for mark in ("  [DONE]  ", '"[DONE]"', "[DONE]\t", "'[DONE]'", "[done]")
)

LABELS = (
    *(
        Case(f"a stream as {label}", stream(GOOD, content_type=label), text="AB")
        for label in ("text/plain", "application/x-ndjson", "application/octet-stream",
                      "TEXT/Event-Stream; charset=UTF-8", "application/json", None)
    ),
    Case("one completion as a stream", whole(answer("AB"), content_type="text/event-stream"),
         text="AB"),
    Case("one completion without a label", whole(answer("AB"), content_type=None), text="AB"),
    Case("created", whole(answer("AB"), status=201), text="AB"),
    Case("blank lines before", Raw(("\n", "\n\n", json.dumps(answer("AB")))), text="AB"),
    Case("a byte order mark", stream("\xef\xbb\xbf" + GOOD), text="AB"),
    Case("the first field in pieces", stream("d", "at", "a: ", GOOD[6:]), text="AB"),
    Case("an object per line", Raw((GOOD.replace("data: ", "").replace("\n\n", "\n"),),
                                   content_type="application/x-ndjson"), text="AB"),
    Case("nothing in a stream", stream(": hello\n\n"), **BROKEN),
    Case("no byte of a stream", Raw(()), **BROKEN),
    Case("a web page as a stream", stream("<html>Sign in</html>"), code="garbage_reply",
         said="a web page"),
)  # fmt: skip

REPORTED = (
    Case("limited in a body", whole(LIMITED), code="rate_limited", said="Rate limit", tries=2),
    Case("limited, the code as text",
         whole({"error": {"message": "Slow", "code": "rate_limit_exceeded"}}),
         code="rate_limited", tries=2),
    Case("limited, behind a byte order mark", whole("\xef\xbb\xbf" + json.dumps(LIMITED)),
         code="rate_limited", tries=2),
    Case("limited in a list", whole([LIMITED]), code="rate_limited", tries=2),
    Case("context in a body", whole({"error": {"message": "maximum context length is 4096"}}),
         code="context_length_exceeded"),
    Case("a text", whole({"error": "The model is loading"}), code="server_error",
         said="The model is loading", tries=2),
    Case("detail", whole({"detail": "Engine is dead"}), code="server_error",
         said="Engine is dead", tries=2),
    Case("an object that is an error",
         whole({"object": "error", "message": "Invalid API key", "code": 401}),
         code="unauthorized", said="Invalid API key"),
    Case("message alone", whole({"message": "Too many requests"}), code="rate_limited", tries=2),
    Case("MiniMax", whole({"choices": None,
                           "base_resp": {"status_code": 1004, "status_msg": "not authorized"}}),
         code="server_error", said="not authorized", tries=2),
    Case("Z.ai", whole({"success": False, "code": 1302, "msg": "Rate limit exceeded"}),
         code="rate_limited", said="Rate limit", tries=2),
    Case("balance", whole({"error": {"message": "Insufficient Balance", "code": 402}}),
         code="quota_exceeded"),
    *(
        Case(f"words in a body: {said}", whole(said, content_type="text/plain"),
             code="server_error", said=said.strip('"'), tries=2)
        for said in ("Internal Server Error", '"Engine crashed"',
                     "upstream connect error or disconnect/reset before headers")
    ),
    *(
        Case(f"no choice: {choices}", whole(f'{{"object": "x", "choices": {choices}}}'),
             code="server_error", said="list of choices is empty", tries=2)
        for choices in ("[]", "null")
    ),
    *(
        Case(f"the status alone: {data}", whole(data), code="server_error", said="Gone", tries=2)
        for data in ({"status": "failed", "reason": "Gone"}, {"Message": "Gone"},
                     {"exception": "Gone"}, {"Error": {"Message": "Gone"}})
    ),
    Case("Apigee", whole({"fault": {"faultstring": "Invalid ApiKey"}}), code="unauthorized"),
    Case("a status in capitals", whole({"statusCode": 429, "message": "Slow"}),
         code="rate_limited", tries=2),
    Case("DashScope's key in a stream",
         stream(sent({"code": "InvalidApiKey", "message": "No such key."})), code="unauthorized"),
    *(
        Case(f"a status of {status}", whole({"error": {"message": "Again"}}, status=status),
             code="server_error", said="Again", tries=2)
        for status in (409, 499)
    ),
    Case("a wrong address", whole({"detail": "Method Not Allowed"}, status=405), code="not_found",
         said="status 405"),
    Case("a key in a stream", stream(sent(INVALID_KEY)), code="unauthorized",
         said="Invalid API key"),
    Case("a key in a stream, after text", stream(HALF, sent(INVALID_KEY)), code="unauthorized"),
    Case("limited in a stream", stream(HALF, sent(LIMITED)), code="rate_limited", tries=2),
    Case("overloaded in a stream",
         stream('event: error\ndata: {"type": "error", "error": {"type": "overloaded_error", '
                '"message": "Overloaded"}}\n\n'), code="server_error", said="Overloaded", tries=2),
    Case("context in a stream",
         stream(sent({"error": {"message": "Input is too long for requested model.",
                                "code": 400}})), code="context_length_exceeded"),
    Case("a proxy's 502 around a 401",
         whole({"error": {"message": "No auth", "code": 401}}, status=502), code="unauthorized"),
    Case("a 400 around a limit",
         whole({"error": {"message": "Slow", "type": "ThrottlingException"}}, status=400),
         code="rate_limited", tries=2),
    Case("OpenRouter's provider",
         whole({"error": {"message": "Provider returned error", "code": 400,
                          "metadata": {"raw": '{"message":"prompt is too long"}'}}}, status=400),
         code="context_length_exceeded", said="prompt is too long"),
    Case("payment", whole({"error": {"message": "Add credits"}}, status=402),
         code="quota_exceeded"),
)  # fmt: skip

TEXTS = (
    Case("an emoji in two halves", stream(halves("A\\ud83d", "\\ude00B"), STOP), text="A😀B"),
    Case("halves around a ping", stream(halves("\\ud83d"), "data: ping\n\n", halves("\\ude00"),
                                        STOP), text="😀"),
    Case("half at the end", stream(halves("A", "\\ud83d"), STOP), text="A\ufffd"),
    Case("a lone first half", stream(halves("A\\ud83d", "B"), STOP), text="A\ufffdB"),
    Case("a lone second half", stream(halves("A\\ude00", "B"), STOP), text="A\ufffdB"),
    Case("two emoji in halves",
         stream(halves("\\ud83d", "\\ude00\\ud83d", "\\ude01"), STOP), text="😀😁"),
    Case("a byte that is no UTF-8", stream(halves("A\xff", "B"), STOP), text="A\ufffdB"),
    Case("whole, half an emoji",
         whole('{"choices":[{"message":{"content":"A\\ud83d"}}]}'), text="A\ufffd"),
    Case("whole, no UTF-8", whole('{"choices":[{"message":{"content":"A\xe9"}}]}'),
         text="A\ufffd"),
    Case("a line break in a string", whole('{"choices":[{"message":{"content":"A\nB"}}]}'),
         text="A\nB"),
)  # fmt: skip


def message(**fields: object) -> Raw:
    return whole({"choices": [{"message": fields, "finish_reason": "stop"}]})


PARTS = [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}]
APART = (
    Case("only thought", message(content=None, reasoning_content="Hm."), text="", reasoning="Hm."),
    Case("thought and said", message(content="A", reasoning="Hm."), text="A", reasoning="Hm."),
    Case("thought as a part", message(content=[*PARTS, {"type": "text", "text": "A"}]), text="A",
         reasoning="Hm."),
    Case("refused", message(content=None, refusal="No."), text="", refusal="No."),
    *(
        Case(f"thought in details: {name}", message(content="", reasoning_details=[{name: "Hm."}]),
             text="", reasoning="Hm.")
        for name in ("text", "summary")
    ),
    Case("thought in both", message(content="A", reasoning="Hm.",
                                    reasoning_details=[{"text": "Hm."}]),
         text="A", reasoning="Hm."),
    Case("texts as parts", message(content=["A", "B"]), text="AB"),
    Case("one part without a list", message(content={"type": "text", "text": "AB"}), text="AB"),
    Case("only thought, streamed",
         stream(event({"reasoning_content": "H"}), event({"reasoning": "m."}), STOP), text="",
         reasoning="Hm."),
    Case("thought, then said", stream(event({"thinking": "Hm."}), words("A"), STOP), text="A",
         reasoning="Hm."),
    Case("refused in pieces", stream(event({"refusal": "N"}), event({"refusal": "o."}), STOP),
         text="", refusal="No."),
    Case("thought as a streamed part",
         stream(event({"content": PARTS}), event({"content": "A"}), STOP), text="A",
         reasoning="Hm."),
    Case("filtered without a message", whole({"choices": [{"finish_reason": "content_filter"}]}),
         text="", finish="content_filter"),
    *(
        Case(f"filtered as {reason}", stream(words("Half"), event(finish=reason)), text="Half",
             finish="content_filter")
        for reason in ("content_filter", "SAFETY", "refusal", "content_filter: SPII")
    ),
)  # fmt: skip

DAMAGED = (
    Case("a damaged piece", stream(words("A"), 'data: {"choices": [{"del\n\n', words("B"), STOP),
         said="damaged piece", **BROKEN),
    Case("a damaged first byte", stream(words("A"), 'data: \x01"choices": []}\n\n', STOP),
         said="damaged piece", **BROKEN),
    Case("a piece of another kind", stream(words("A"), sent({"choices": 3}), STOP),
         **BROKEN),
    *(
        Case(f"broken from the start: {data}", stream(f"data: {data}\n\n", words("B"), STOP),
             said="its JSON is broken", **BROKEN)
        for data in ('{"choices": [{"del', '{"object": "chat.completion.chunk", "choi')
    ),
    Case("a whole answer that is cut", whole(json.dumps(answer("Hello world"))[:70]),
         said="its JSON is broken", **BROKEN),
    Case("damaged after the end", stream(words("AB"), STOP, "data: {\n\n"), text="AB"),
    Case("framed for ever", stream("data: " * 3_000 + "\n\n", GOOD), text="AB"),
    *(
        Case(f"garbage from the start: {data[-9:]}", stream(f"data: {data}\n\n"),
             code="garbage_reply")
        for data in ("{", "[1]", '{"choices": 3}', '{"choices": [{"delta": {"content": 5}}]}',
                     '{"choices": [{"delta": {"tool_calls": [{"index": 1e9}]}}]}')
    ),
)  # fmt: skip

ALL = (
    *(FINISH + FAILED_CHOICES + OTHER_EVENTS + DONE_MARKS),
    *(LABELS + REPORTED + TEXTS + APART + DAMAGED),
)
