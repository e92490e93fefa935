"""pgvector's HNSW index over agents' embeddings: finds the nearest few without comparing all."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import psycopg
from numpy.typing import NDArray
from pgvector.psycopg import register_vector

from workers.core.agents.scoring import Floats

MAKE = "CREATE TEMPORARY TABLE bench_nearest (id int, v vector({size:d}))"
FILL = "COPY bench_nearest FROM STDIN WITH (FORMAT BINARY)"
INDEX = "CREATE INDEX ON bench_nearest USING hnsw (v vector_ip_ops)"
FIND = "SELECT id FROM bench_nearest ORDER BY v <#> %s LIMIT %s"


@dataclass(frozen=True, slots=True)
class Nearest:
    """An index that took `seconds` to build. It returns positions in `embeddings`."""

    connection: psycopg.Connection[tuple[int]]
    seconds: float

    def find(self, query: Floats, count: int) -> NDArray[np.int64]:
        """Positions of the `count` greatest inner products, as far as the index finds them."""
        return np.array([row[0] for row in self.connection.execute(FIND, (query, count))])


@contextmanager
def indexed(embeddings: Floats, *, search: int) -> Iterator[Nearest]:
    """Build the index. `search` is `hnsw.ef_search`: at most that many vectors are found.

    It is in a temporary table of DATABASE_URL, with the extension's default m and ef_construction.
    """
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        register_vector(connection)
        connection.execute(MAKE.format(size=embeddings.shape[1]))
        with connection.cursor() as cursor:
            copy = cursor.copy(FILL)
            with copy as rows:
                rows.set_types(["int4", "vector"])
                for place, vector in enumerate(embeddings):
                    rows.write_row((place, vector))
        connection.execute("SET maintenance_work_mem = '2GB'")
        began = time.perf_counter()
        connection.execute(INDEX)
        seconds = time.perf_counter() - began
        connection.execute(f"SET hnsw.ef_search = {search:d}")
        yield Nearest(connection, seconds)
