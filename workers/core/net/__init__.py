"""The way out: every request to an address that a person typed in goes through here."""
