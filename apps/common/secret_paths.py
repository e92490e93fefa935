"""Keeps links that grant access out of logs, where Django names the path of a failed request."""

import logging
import re

SECRET = re.compile(r"(/login/once/|/shared/)[^\s/?\"']+")


class HideSecretPaths(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        said = record.getMessage()
        hidden = SECRET.sub(r"\1…", said)
        if hidden != said:
            record.msg, record.args = hidden, ()
        return True
