"""Is a service up? Small requests over the real protocols, each answered in well under a second."""

import http.client
import socket
from collections.abc import Callable
from functools import partial


def redis_answers(port: int, password: str) -> Callable[[], bool]:
    def ask() -> bool:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
                connection.sendall(f"AUTH {password}\r\nPING\r\nQUIT\r\n".encode())
                return b"+PONG" in b"".join(iter(partial(connection.recv, 256), b""))
        except OSError:
            return False

    return ask


def http_answers(host: str, port: int, path: str, *, seconds: float = 30.0) -> Callable[[], bool]:
    """True for any answer but a server error. Waits in the server's queue until it accepts."""

    def ask() -> bool:
        connection = http.client.HTTPConnection(host, port, timeout=seconds)
        try:
            connection.request("GET", path, headers={"Connection": "close"})
            return connection.getresponse().status < 500
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    return ask


def free_port() -> int:
    """A TCP port on which no program listens now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
