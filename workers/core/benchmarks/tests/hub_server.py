"""A hub on this machine: it speaks what the hub's client asks for, and holds what a test gives."""

import contextlib
import hashlib
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

Files = dict[str, bytes]
SHA = "f" * 40
"""Of whatever is on it."""


@dataclass(slots=True)
class Hub:
    """`files`: (repository, revision) → path → content; a model's files are fetched by `SHA`.
    `gated`: repositories that want terms accepted. `broken`: every answer is a 500. `sizes` False:
    the list of files has none; `lengths` False: nor has a file of its own. `pause`: seconds after
    each byte of a file. `think`: seconds before each answer. `card`: of each repository."""

    files: dict[tuple[str, str], Files] = field(default_factory=dict)
    gated: set[str] = field(default_factory=set)
    broken: bool = False
    sizes: bool = True
    lengths: bool = True
    pause: float = 0.0
    think: float = 0.0
    card: object = None
    asked: list[str] = field(default_factory=list)
    url: str = ""

    def answer(self, path: str) -> tuple[int, dict[str, str], bytes]:
        self.asked.append(path)
        if self.broken:
            return 500, {}, b""
        parts = [unquote(part) for part in path.strip("/").split("/")]
        if parts[:2] == ["api", "datasets"] and parts[4:5] == ["revision"]:
            return self._info("/".join(parts[2:4]), "/".join(parts[5:]))
        if parts[:1] == ["datasets"] and parts[3:4] == ["resolve"]:
            return self._file("/".join(parts[1:3]), parts[4], "/".join(parts[5:]))
        if parts[:2] == ["api", "models"]:
            return self._info("/".join(parts[2:4]), "/".join(parts[5:]) or "main")
        if parts[2:3] == ["resolve"]:
            return self._file("/".join(parts[:2]), parts[3], "/".join(parts[4:]))
        return 404, {}, b"{}"

    def _info(self, repo: str, revision: str) -> tuple[int, dict[str, str], bytes]:
        if not any(known == repo for known, _ in self.files):
            return 401, {"X-Error-Code": "RepoNotFound"}, b"{}"
        if (repo, revision) not in self.files:
            return 404, {"X-Error-Code": "RevisionNotFound"}, b"{}"
        siblings = [
            {"rfilename": path} | ({"size": len(content)} if self.sizes else {})
            for path, content in self.files[repo, revision].items()
        ]
        body = {"id": repo, "sha": SHA, "siblings": siblings, "tags": [], "cardData": self.card}
        return 200, {"Content-Type": "application/json"}, json.dumps(body).encode()

    def _file(self, repo: str, revision: str, path: str) -> tuple[int, dict[str, str], bytes]:
        if repo in self.gated:
            return 403, {"X-Error-Code": "GatedRepo"}, b"{}"
        content = self.files.get((repo, revision), {}).get(path)
        if content is None:
            return 404, {"X-Error-Code": "EntryNotFound"}, b"{}"
        etag = hashlib.sha256(content).hexdigest()
        return 200, {"ETag": f'"{etag}"', "X-Repo-Commit": SHA}, content


@contextlib.contextmanager
def reachable_hub(monkeypatch: pytest.MonkeyPatch, cache: Path) -> Iterator[Hub]:
    """A running hub that this process asks, with an empty cache, whatever its environment says."""
    with running_hub() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(cache))
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
        yield hub


@contextlib.contextmanager
def running_hub() -> Iterator[Hub]:
    hub = Hub()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            time.sleep(hub.think)
            status, headers, body = hub.answer(urlsplit(self.path).path)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            if hub.lengths:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command == "GET":
                self._send(body)

        def _send(self, body: bytes) -> None:
            if not hub.pause or "/resolve/" not in self.path:
                self.wfile.write(body)
                return
            with contextlib.suppress(ConnectionError):  # whoever asked has left
                for byte in body:
                    self.wfile.write(bytes([byte]))
                    time.sleep(hub.pause)

        def do_HEAD(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    hub.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
