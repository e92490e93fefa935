"""A real HTTP server on loopback that webhooks are sent to."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True, slots=True)
class Received:
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """Answers with `status`, after `seconds`; `location` makes that a redirect, and `trickle` a
    body which never ends."""

    url: str = ""
    status: int = 200
    seconds: float = 0.0
    location: str = ""
    trickle: bytes = b""
    received: list[Received] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)

    def deliveries(self) -> list[str]:
        return [each.headers["X-MAS-Studio-Delivery"] for each in self.received]


@contextmanager
def receiving() -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.received.append(Received(self.path, dict(self.headers), body))
            receiver.stop.wait(receiver.seconds)
            self.send_response(receiver.status)
            if receiver.location:
                self.send_header("Location", receiver.location)
            self.send_header("Content-Length", str(10**12 if receiver.trickle else 0))
            with suppress(OSError):  # the studio reads no more than it needs
                self.end_headers()
                while receiver.trickle and not receiver.stop.wait(0.01):
                    self.wfile.write(receiver.trickle)

        def log_message(self, format: str, *arguments: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.url = f"http://127.0.0.1:{server.server_port}/hook?key=k1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield receiver
    finally:
        receiver.stop.set()
        server.shutdown()
        server.server_close()
        thread.join()
