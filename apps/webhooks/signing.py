"""How a receiver knows that a request comes from the studio.

A webhook's secret is made from its id, its salt and the studio's key each time something is signed.
Nothing that signs is stored, and another salt gives another secret.
"""

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Iterable
from datetime import timedelta
from uuid import UUID

from django.utils.crypto import salted_hmac

SALT = "apps.webhooks.secret"
PREFIX = "whsec_"
HEADER = "X-MAS-Studio-Signature"
OVERLAP = timedelta(hours=24)
"""After a change of the secret, the old one also signs for this time, so that the receiver can
learn the new one."""


def new_salt() -> str:
    """128 random bits in 32 characters."""
    return secrets.token_hex(16)


def secret_of(webhook_id: UUID, salt: str) -> str:
    """256 bits after the prefix, by which scanners for leaked secrets recognize it."""
    made = salted_hmac(SALT, f"{webhook_id}:{salt}", algorithm="sha256").digest()
    return PREFIX + urlsafe_b64encode(made).rstrip(b"=").decode()


def signature(keys: Iterable[str], body: bytes, *, at: int) -> str:
    """The header's value, with one code for each secret. `at`, in Unix seconds, is signed, too, so
    that a receiver can tell a recorded old request from a new one."""
    signed = b"%d." % at + body
    codes = (hmac.new(key.encode(), signed, hashlib.sha256).hexdigest() for key in keys)
    return ",".join([f"t={at}", *(f"v1={code}" for code in codes)])
