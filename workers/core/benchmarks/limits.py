"""How large a file of rows may be."""

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """`bytes`: unpacked size of the values of all rows together. `row_bytes`: size of a line of
    JSON Lines, and of the values of any row together. `unread`: columns of Parquet that are
    not read and don't count."""

    rows: int = 200_000
    bytes: int = 256 * MIB
    row_bytes: int = 2 * MIB
    columns: int = 1_000
    unread: tuple[str, ...] = ()
