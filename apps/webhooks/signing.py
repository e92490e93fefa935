"""How a receiver knows that a request is the studio's.

A webhook's secret is made from its id, its salt and the studio's key whenever something is signed:
nothing that signs is stored, and another salt is another secret.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode
from uuid import UUID

from django.utils.crypto import salted_hmac

SALT = "apps.webhooks.secret"
PREFIX = "whsec_"
HEADER = "X-MAS-Studio-Signature"


def new_salt() -> str:
    """128 random bits in 32 characters."""
    return secrets.token_hex(16)


def secret_of(webhook_id: UUID, salt: str) -> str:
    """256 bits after the prefix, by which scanners for leaked secrets know them."""
    made = salted_hmac(SALT, f"{webhook_id}:{salt}", algorithm="sha256").digest()
    return PREFIX + urlsafe_b64encode(made).rstrip(b"=").decode()


def signature(secret: str, body: bytes, *, at: int) -> str:
    """The header's value. `at`, in Unix seconds, is signed too, so that an old request which
    somebody has recorded can be told from a new one."""
    code = hmac.new(secret.encode(), b"%d." % at + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={code}"
