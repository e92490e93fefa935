"""The studio's REST API as `ask` uses it: JSON requests and one event stream."""

import http.client
import json
import secrets
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from studio.launcher.errors import FAILED, USAGE, LauncherError
from studio.launcher.terminal_text import printable

SILENCE_SECONDS = 60.0  # heartbeats come every 15 s
Json = dict[str, Any]


class NotAuthorized(Exception):
    """The token is unknown, expired or revoked."""


class Remote:
    """A studio at an address, with a token."""

    def __init__(self, address: str, token: str) -> None:
        parts = urlsplit(address)
        self.host, self.port = parts.hostname or "127.0.0.1", parts.port or 80
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def get(self, path: str) -> Json:
        return self._call("GET", path, None, {})

    def post(self, path: str, body: Json, **headers: str) -> Json:
        return self._call("POST", path, json.dumps(body), headers)

    def upload(self, path: str, name: str, data: bytes) -> Json:
        """Post a file as a form with the one field `file`."""
        border = secrets.token_hex(16)
        quoted = name.translate({ord('"'): "%22", ord("\r"): "%0D", ord("\n"): "%0A"})
        body = (
            f'--{border}\r\nContent-Disposition: form-data; name="file"; filename="{quoted}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        ).encode() + data
        kind = {"Content-Type": f"multipart/form-data; boundary={border}"}
        return self._call("POST", path, body + f"\r\n--{border}--\r\n".encode(), kind)

    def _call(
        self, verb: str, path: str, body: str | bytes | None, headers: dict[str, str]
    ) -> Json:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        try:
            connection.request(verb, path, body=body, headers={**self.headers, **headers})
            response = connection.getresponse()
            text = response.read()
        except OSError as error:
            raise LauncherError(
                f"The studio does not answer ({error}). Check that it is running: bin/studio status"
            ) from error
        finally:
            connection.close()
        if response.status == 401:
            raise NotAuthorized
        answer = decoded(text)
        if response.status >= 400:
            raise LauncherError(refusal(answer, response.status), code=exit_code(response.status))
        return answer

    def events(self, run: str, after: str | None) -> Iterator[tuple[str, str, Json]]:
        """Frames `(event, id, data)` until the stream ends. Raises OSError when it breaks."""
        headers = {**self.headers, "Accept": "text/event-stream"}
        if after:
            headers["Last-Event-ID"] = after
        connection = http.client.HTTPConnection(self.host, self.port, timeout=SILENCE_SECONDS)
        try:
            connection.request("GET", f"/api/runs/{run}/events", headers=headers)
            response = connection.getresponse()
            if response.status != 200:
                raise LauncherError(refusal(decoded(response.read()), response.status))
            yield from frames(line.decode() for line in response)
        finally:
            connection.close()


def frames(lines: Iterator[str]) -> Iterator[tuple[str, str, Json]]:
    """Server-sent events from their lines, without comments (heartbeats)."""
    event, identity = "message", ""
    data: list[str] = []
    for raw in lines:
        line = raw.rstrip("\r\n")
        if not line:
            if data:
                yield event, identity, json.loads("\n".join(data))
            event, data = "message", []
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            event = value
        elif name == "id":
            identity = value
        elif name == "data":
            data.append(value)


def decoded(text: bytes) -> Json:
    try:
        answer = json.loads(text)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def refusal(answer: Json, status: int) -> str:
    """The API's sentence and remedy, or the status if it sent neither."""
    error = answer.get("error")
    if not isinstance(error, dict):
        return (
            f"The studio answered with status {status} and no reason. See web.log in the "
            "studio's log folder."
        )
    said = " ".join(str(error.get(key, "")) for key in ("message", "remedy")).strip()
    return str(printable(said))


def exit_code(status: int) -> int:
    return USAGE if status in (400, 404, 413, 422) else FAILED
