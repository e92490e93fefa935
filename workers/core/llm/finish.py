"""Finish reasons judged by their value, in every spelling that servers use."""

import re

STOP = "stop"
LENGTH = "length"
TOOL_CALLS = "tool_calls"
FILTERED = "content_filter"
FAILED = "error"

_UNFINISHED = frozenset({"", "null", "none", "nil", "undefined", "unspecified", "unknown"})
_MEANINGS = {
    STOP: "stop stop_sequence stopped eos eos_token end_turn end_of_turn complete completed done",
    LENGTH: (
        "length max_tokens max_length model_length max_output_tokens token_limit incomplete "
        "model_context_window_exceeded context_length_exceeded repetition_truncation"
    ),
    TOOL_CALLS: "tool_calls tool_call tool_use function_call function_calls",
    FILTERED: (
        "content_filter content_filtered content_filter_error safety recitation blocklist spii "
        "prohibited_content refusal sensitive guardrail_intervened image_safety"
    ),
    FAILED: (
        "error failed abort aborted cancelled canceled network_error timeout server_error "
        "internal_error engine_error insufficient_system_resource malformed_function_call "
        "function_call_filter other language"
    ),
}
_BY_KIND: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(
            r"filter|safety|policy|moderat|blocked|prohibit|harm(?!ony)|toxic|guardrail|armor"
            r"|sensitive"
        ),
        FILTERED,
    ),
    (
        re.compile(
            r"error|fail|abort|cancel|time|interrupt|disconnect|malformed|missing|unexpected"
            r"|too_many|crash|(?<![a-z])(kill|oom)|preempt|evict|memory|capacity|quota|rate_limit"
            r"|exception|unavailable|shutdown|invalid"
        ),
        FAILED,
    ),
    (re.compile(r"length|limit|max|exceed|truncat|cut_?off|budget"), LENGTH),
    (re.compile(r"^(stop|eos|end)_"), STOP),
)
"""What an unlisted reason means, by its words. A part must not pass for a whole answer."""
_BY_VALUE = {word: meaning for meaning, words in _MEANINGS.items() for word in words.split()}


def read_finish(reason: object) -> str | None:
    """`stop`, `length`, `tool_calls`, `content_filter` or `error`; None before the end.

    An unlisted reason counts by its words (`upstream_error`, `max_new_tokens`). If these say
    nothing, it is the server's own name for an end, and is kept. Sources: OpenAI, Anthropic,
    Cohere, Gemini, Mistral, DeepSeek, Z.ai, TGI, OpenRouter, vLLM.
    """
    if not isinstance(reason, str):
        return None
    # Gemini's gateway says “content_filter: PROHIBITED_CONTENT”
    word = reason.partition(":")[0].strip().lower()
    word = word.removeprefix("finish_reason_").replace("-", "_").replace(" ", "_")
    if word in _UNFINISHED:
        return None
    by_kind = (meaning for pattern, meaning in _BY_KIND if pattern.search(word))
    return _BY_VALUE.get(word) or next(by_kind, word)
