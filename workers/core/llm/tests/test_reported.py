"""Errors in the words of real servers."""

import orjson
import pytest

from workers.core.llm.errors import from_status
from workers.core.llm.reported import find_error, read_error
from workers.core.llm.tests.helpers import endpoint_at
from workers.core.llm.types import LLMError

ENDPOINT = endpoint_at("http://127.0.0.1/v1")

TOO_LONG = (
    "This model's maximum context length is 4096 tokens. However, you requested 4800 tokens",
    "The decoder prompt (length 21535) is longer than the maximum model length of 16384. Make sure "
    "that `max_model_len` is no smaller than the number of text tokens",
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 "
    "`inputs` tokens and 512 `max_new_tokens`",
    "Input validation error: `inputs` must have less than 1024 tokens. Given: 3000",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    "Input is too long for requested model.",
    "The input (61709 tokens) is longer than the model's context length (40960 tokens).",
    "Input length (5000 tokens) exceeds the maximum allowed length (4096 tokens).",
    "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
    "prompt is too long: 213462 tokens > 200000 maximum",
    "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
    "the request exceeds the available context size, try increasing it",
    "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum "
    "context length",
    "Please reduce the length of the messages or completion.",
    "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000",
    "Your request exceeded model token limit: 262144",
    "context window exceeds limit (2013)",
    "Input prompt (9762 tokens) is too long and exceeds limit of 8192",
    "Trying to keep the first 5000 tokens when context the overflows.",
    "Prompt exceeds max length",
    "Range of input length should be [1, 30720]",
    "prompt token count of 100000 exceeds the limit of 64000",
    "Request body too large for gpt-4o model. Max size: 8000 tokens.",
    "The sum of prompt length (3000.0), query length (0) max_tokens (2000) should not exceed "
    "max_num_tokens (4096)",
    "INPUT_LENGTH_ERROR",
    "Unable to submit request because the input token count is 40000 but model only supports up to "
    "32768.",
    "Malformed input request: expected maxLength: 50000, actual: 60000, please reformat your input",
    "Prompt length 5000 is greater than max_seq_len 4096",
    "Request prompt has 5000 tokens in total, larger than the model capacity 4096.",
    "the total number of tokens (5000) exceeds the model's limit (4096)",
    "The prompt has 5000 tokens but the model accepts at most 4096.",
)
OTHERS = (
    "Invalid value for 'temperature': must be between 0 and 2",
    "max_tokens is too large: 8192. This model supports at most 4096 completion tokens",
    "max_tokens must be at least 1, got -5",
    "Unexpected role 'user' after role 'tool'",
    "Unknown parameter: 'context'.",
    "The number of stop sequences exceeds four",
    "max_tokens must not exceed 4096",
    "temperature is greater than maximum 2",
    "The image is larger than the maximum size",
    "Malformed input request: #/tools/0/name: expected maxLength: 64, actual: 70",
    "The message content exceeds the limit of 10 images",
    "Tool call ids must be at most 40 characters long",
    "Prompt template could not be rendered",
    "Input should be 'user' or 'assistant'",
)


def reported(message: str, status: int = 400, **error: object) -> LLMError:
    return from_status(ENDPOINT, status, orjson.dumps({"error": {"message": message, **error}}))


@pytest.mark.parametrize("status", [400, 413, 422, 500])
@pytest.mark.parametrize("message", TOO_LONG)
def test_a_prompt_that_is_too_long(message: str, status: int) -> None:
    error = reported(message, status)
    assert (error.code, error.permanent) == ("context_length_exceeded", True)
    assert message[:60] in error.message


@pytest.mark.parametrize(
    "code", ["context_length_exceeded", "exceed_context_size_error", "tokens_limit_reached"]
)
def test_a_code_that_says_so(code: str) -> None:
    assert reported("No.", code=code).code == "context_length_exceeded"


@pytest.mark.parametrize("message", OTHERS)
def test_another_bad_request(message: str) -> None:
    assert reported(message).code == "bad_request"


@pytest.mark.parametrize(
    "message",
    [
        "Rate limit reached on tokens per min (TPM): Limit 30000, Requested 31000",
        "Too many tokens, please wait before trying again.",
        "Too many tokens per minute",
    ],
)
def test_a_limit_of_tokens_in_a_minute_is_no_long_prompt(message: str) -> None:
    assert reported(message, 429).code == "rate_limited"


@pytest.mark.parametrize(
    ("body", "message", "code", "own", "fields"),
    [
        ({"error": {"message": "No", "code": "x", "param": "seed"}}, "No", "x", 0, {"seed"}),
        ({"error": "No"}, "No", "", 0, set()),
        ({"detail": "No"}, "No", "", 0, set()),
        ({"detail": [{"loc": ["body", "seed"], "msg": "extra"}]},
         "body.seed: extra", "", 0, {"seed"}),
        ({"error": {"message": "No", "code": 429, "status": "RESOURCE_EXHAUSTED"}},
         "No", "429 RESOURCE_EXHAUSTED", 429, set()),
        ([{"error": {"message": "No", "code": 400}}], "No", "400", 400, set()),
        ({"errors": [{"message": "No", "code": 7003}], "success": False}, "No", "7003", 0, set()),
        ({"message": {"detail": [{"loc": ["body", "stop"], "msg": "extra"}]}},
         "body.stop: extra", "", 0, {"stop"}),
        ({"code": "1302", "msg": "No"}, "No", "1302", 0, set()),
        ({"error": {"message": "No", "code": "503"}}, "No", "503", 503, set()),
        ("No", "No", "", 0, set()),
        ({}, "", "", 0, set()),
        (None, "", "", 0, set()),
    ],
)  # fmt: skip
def test_the_shapes_of_errors(
    body: object, message: str, code: str, own: int, fields: set[str]
) -> None:
    said = read_error(orjson.dumps(body))
    assert (said.message, said.code, said.own, set(said.fields)) == (message, code, own, fields)


@pytest.mark.parametrize(
    "body",
    [
        {"choices": [{"message": {"content": "hi"}}], "error": None},
        {"choices": [{"message": {"content": "hi"}}], "error": ""},
        {"choices": [{"message": {"content": "hi"}}], "error": {"code": 0, "message": "ok"}},
        {"choices": [{"message": {"content": "hi"}}], "detail": "a hint"},
        {"choices": [{"message": {"content": "hi"}}], "base_resp": {"status_code": 0}},
        {"choices": [], "usage": {"prompt_tokens": 1}},
        {"type": "ping"},
        {"status": "queued", "message": "Your place is 3."},
    ],
)
def test_what_is_no_error(body: dict[str, object]) -> None:
    assert find_error(body, piece=True) is None


def test_words_that_are_filtered() -> None:
    said = "The response was filtered due to Azure OpenAI's content management policy."
    body = orjson.dumps({"error": {"message": said, "code": "content_filter", "status": 400}})
    error = from_status(ENDPOINT, 400, body)
    assert (error.code, error.permanent) == ("content_filtered", True)
