"""Addresses under an endpoint's base URL."""

from __future__ import annotations

from yarl import URL


def under(base_url: str, path: str) -> URL:
    """`chat/completions` under the base URL, with the URL's query: some servers want a version or a
    deployment there."""
    base = URL(base_url)
    return base.joinpath(*path.split("/")).with_query(base.query)
