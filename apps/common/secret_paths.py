"""Keeps one-time links out of logs: Django names the path of every request that went wrong."""

from __future__ import annotations

import logging
import re

SECRET = re.compile(r"(/login/once/)[^\s/?\"']+")


class HideSecretPaths(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        said = record.getMessage()
        hidden = SECRET.sub(r"\1…", said)
        if hidden != said:
            record.msg, record.args = hidden, ()
        return True
