"""Finish reasons judged by their value, in every spelling that servers use."""

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
        "function_call_filter"
    ),
}
_BY_VALUE = {word: meaning for meaning, words in _MEANINGS.items() for word in words.split()}


def read_finish(reason: object) -> str | None:
    """`stop`, `length`, `tool_calls`, `content_filter` or `error`; None before the end.

    Any other reason is the server's own name for an end, and is kept. Sources: OpenAI, Anthropic,
    Gemini, Mistral, DeepSeek, Z.ai, TGI, OpenRouter, vLLM.
    """
    if not isinstance(reason, str):
        return None
    # Gemini's gateway says “content_filter: PROHIBITED_CONTENT”
    word = reason.partition(":")[0].strip().lower()
    word = word.removeprefix("finish_reason_").replace("-", "_")
    return None if word in _UNFINISHED else _BY_VALUE.get(word, word)
