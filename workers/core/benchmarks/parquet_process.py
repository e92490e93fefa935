"""Unpacks a Parquet file in a separate process within limits of memory and time.

It is started as a script with the file, the `Limits` as JSON, the bytes of memory and the seconds
of computing. Rows go out as an Arrow stream. A refusal is one JSON list on standard error:
`[reason, row, remedy]`. If anything else ends this process, its caller assumes that the file is
damaged.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyarrow import RecordBatch
    from pyarrow.parquet import FileMetaData, ParquetFile, RowGroupMetaData

    from workers.core.benchmarks.limits import Limits

MIB = 1024 * 1024
BATCH_ROWS = 64
BATCH_BYTES = 64 * MIB
"""Bytes unpacked at once."""
VALUE_BYTES = 8
"""The least bytes of an unpacked value in a list. Packed, a billion may cost nothing."""


def main() -> None:
    path, limits_json, memory, seconds = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    signal.signal(signal.SIGXCPU, out_of_time)
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.path.append(str(Path(__file__).resolve().parents[3]))
    from workers.core.benchmarks.limits import Limits
    from workers.core.benchmarks.readers import ReadError

    try:
        write(path, Limits(**json.loads(limits_json)))
    except MemoryError:
        told = ReadError(
            f"The file needs more than {int(memory) // MIB:,} MiB of memory to unpack.",
            remedy="Leave large columns out of the file, or split it into parts.",
        )
    except ReadError as error:
        told = error
    else:
        return
    print(json.dumps([told.reason, told.row, told.remedy]), file=sys.stderr)
    sys.exit(1)


def out_of_time(*_: object) -> None:
    from workers.core.benchmarks.readers import ReadError

    raise ReadError(
        "The file takes far too long to unpack for its size.",
        remedy="Write the file again without repeating long values, or as JSON Lines.",
    )


def write(path: str, limits: Limits) -> None:
    """Raises ReadError, MemoryError, and whatever pyarrow raises for a damaged file."""
    import pyarrow
    from pyarrow import ipc, parquet

    from workers.core.benchmarks.readers import ROWS

    with parquet.ParquetFile(path) as file:
        read = [field for field in file.schema_arrow if field.name not in limits.unread]
        schema = pyarrow.schema(read, {ROWS: str(file.metadata.num_rows)})
        with ipc.new_stream(sys.stdout.buffer, schema) as stream:
            check_footer(file.metadata, limits)
            for batch in checked(file, limits):
                stream.write_batch(batch)


def checked(file: ParquetFile, limits: Limits) -> Iterator[RecordBatch]:
    """Batches of rows, none of them too long."""
    from workers.core.benchmarks.readers import bytes_of, too_long

    number = 0
    names = [name for name in file.schema_arrow.names if name not in limits.unread]
    for group in range(file.num_row_groups):
        size = batch_rows(file.metadata.row_group(group))
        for batch in file.iter_batches(size, row_groups=[group], columns=names, use_threads=False):
            if batch.nbytes > size * limits.row_bytes:
                raise too_long(number + 1, limits)
            for row in batch.to_pylist():
                number += 1
                if bytes_of(row, number) > limits.row_bytes:
                    raise too_long(number, limits)
            yield batch


def check_footer(footer: FileMetaData, limits: Limits) -> None:
    """Check sizes before unpacking: a file of kilobytes may contain a value of gigabytes."""
    from workers.core.benchmarks.readers import ReadError, too_long, too_many, too_much

    if footer.num_rows > limits.rows:
        raise too_many(limits)
    if footer.num_columns > limits.columns:
        raise ReadError(f"The file has more than {limits.columns:,} columns.")
    groups = [footer.row_group(group) for group in range(footer.num_row_groups)]
    sizes = [unpacked(group, limits.unread) for group in groups]
    if sum(sizes) > limits.bytes:
        raise too_much(limits)
    before = 0
    for group, size in zip(groups, sizes, strict=True):
        if size > (group.num_rows + 1) * limits.row_bytes:
            raise too_long(before + 1, limits)
        before += group.num_rows


def unpacked(group: RowGroupMetaData, unread: Collection[str]) -> int:
    """Bytes of a group, from what it says of itself, what its columns say, and the values in lists:
    a column may have more of these than the group has rows."""
    columns = columns_of(group)
    read = [column for column in columns if column.path_in_schema.split(".")[0] not in unread]
    by_columns = sum(column.total_uncompressed_size for column in read)
    others = sum(column.total_uncompressed_size for column in columns) - by_columns
    counts = (int(column.num_values) for column in read)
    in_lists = sum(count for count in counts if count > group.num_rows)
    return max(int(group.total_byte_size - others), int(by_columns), VALUE_BYTES * in_lists)


def batch_rows(group: RowGroupMetaData) -> int:
    """Number of rows to unpack at once. A dictionary stores a long value once for any number of
    rows, so a batch may grow by it for every row."""
    columns = columns_of(group)
    repeated = int(sum(c.total_uncompressed_size for c in columns if c.has_dictionary_page))
    return max(1, min(BATCH_ROWS, BATCH_BYTES // max(1, repeated)))


def columns_of(group: RowGroupMetaData) -> list[Any]:
    return [group.column(column) for column in range(group.num_columns)]


if __name__ == "__main__":
    main()
