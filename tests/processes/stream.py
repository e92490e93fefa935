"""A browser's side of an event stream, in a thread."""

import json
import threading
from dataclasses import dataclass, field
from typing import Any

import requests

from tests.processes.children import until

Frame = tuple[str, str, dict[str, Any]]
"""Event, id, data."""


@dataclass
class Stream:
    """Reads until the server closes or dies. `frames` grows as they come."""

    url: str
    headers: dict[str, str]
    frames: list[Frame] = field(default_factory=list)
    closed: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        try:
            with requests.get(self.url, headers=self.headers, timeout=60, stream=True) as response:
                assert response.status_code == 200, response.text
                assert response.headers["content-type"].startswith("text/event-stream")
                fields: dict[str, str] = {}
                for raw in response.iter_lines(chunk_size=None):
                    if line := raw.decode():
                        name, _, value = line.partition(": ")
                        fields[name] = value
                    elif fields:
                        self._take(fields)
                        fields = {}
        except requests.RequestException:
            pass
        finally:
            self.closed.set()

    def _take(self, fields: dict[str, str]) -> None:
        if "event" in fields:
            frame = fields["event"], fields.get("id", ""), json.loads(fields["data"])
            self.frames.append(frame)

    def of(self, event: str) -> list[dict[str, Any]]:
        return [data for name, _, data in self.frames if name == event]

    def ids(self) -> list[str]:
        """Ids of all events received, those of the snapshot included."""
        found = [item["id"] for data in self.of("snapshot") for item in data["events"]]
        return found + [data["id"] for data in self.of("trace")]

    def wait_for(self, event: str, *, seconds: float = 20.0) -> dict[str, Any]:
        """The first frame of this kind."""
        return until(lambda: self.of(event), seconds=seconds, what=f"a {event} frame comes")[0]


def open_stream(
    url: str, run_id: str, headers: dict[str, str], *, last_event_id: str = ""
) -> Stream:
    resume = {"Last-Event-ID": last_event_id} if last_event_id else {}
    return Stream(
        f"{url}/api/runs/{run_id}/events", {**headers, "Accept": "text/event-stream", **resume}
    )
