"""Outgoing requests: every request to an address that a person entered goes through here."""
