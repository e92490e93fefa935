"""Files of rows, good and bad."""

import bz2
import gzip
import json
import os
import subprocess
import sys
import threading
from collections.abc import Generator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

from workers.core.benchmarks import readers
from workers.core.benchmarks.limits import MIB, Limits
from workers.core.benchmarks.readers import ReadError, mapped, read_rows

ROWS = [{"query": "1 + 1?", "reference": "2"}, {"query": "größe, 数\n“x”", "reference": ""}]


def read(path: Path, **limits: Any) -> list[Any]:
    return [row for _, row in read_rows(path, limits=Limits(**limits))]


def written(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_the_same_rows_in_every_format(tmp_path: Path) -> None:
    lines = "\n\n".join(json.dumps(row) for row in ROWS)
    for text in (lines, lines + "\n", "\ufeff" + lines.replace("\n", "\r\n")):
        assert read(written(tmp_path, "a.jsonl", text)) == ROWS
    cells = 'query,reference\r\n1 + 1?,2\r\n"größe, 数\n“x”",\r\n'
    for text in (cells, "\ufeff" + cells):
        assert read(written(tmp_path, "a.csv", text)) == ROWS
    parquet.write_table(pyarrow.Table.from_pylist(ROWS), tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet") == ROWS


def test_lists_in_each_format(tmp_path: Path) -> None:
    row = {"choices": ["a", "b, c"]}
    assert read(written(tmp_path, "a.jsonl", json.dumps(row))) == [row]
    assert read(written(tmp_path, "a.csv", 'choices\n"[""a"", ""b, c""]"\n')) == [row]
    parquet.write_table(pyarrow.Table.from_pylist([row]), tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet") == [row]
    texts = read(written(tmp_path, "b.csv", "x\n[1]\n[a]\n[]\n"))
    assert [row["x"] for row in texts] == ["[1]", "[a]", "[]"]


@pytest.mark.parametrize(
    "content",
    [
        "query;reference\n1,5 + 1?;2,5\n",
        "query\treference\n1,5 + 1?\t2,5\n",
        "query|reference\n1,5 + 1?|2,5\n",
        "sep=;\r\nquery;reference\r\n1,5 + 1?;2,5\r\n",
        "\ufeffSEP=\t\nquery\treference\n1,5 + 1?\t2,5\n",
        'sep=,\nquery,reference\n"1,5 + 1?","2,5"\n',
        '"query";"reference"\n"1,5 + 1?";2,5\n',
        ' query ;" reference "\n1,5 + 1?;2,5\n',
        "query;reference;;\n1,5 + 1?;2,5;;\n;;;\n",
        "query;reference\n1,5 + 1?;2,5;\n",
    ],
)
def test_whatever_separates_cells_and_surrounds_names(tmp_path: Path, content: str) -> None:
    rows = read(written(tmp_path, "a.csv", content))
    assert rows == [{"query": "1,5 + 1?", "reference": "2,5"}]


def test_a_quoted_separator_separates_nothing(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", '"a; b; c",d\n1,2\n')
    assert read(path) == [{"a; b; c": "1", "d": "2"}]
    assert read(written(tmp_path, "b.csv", "query\nWhat; why?\n")) == [{"query": "What; why?"}]


def test_the_separator_divides_all_rows_alike(tmp_path: Path) -> None:
    """A name or a question may hold more of another mark."""
    named = "query, in words, short\treference\nOne, two?\t1\nThree?\t2\n"
    assert read(written(tmp_path, "a.csv", named)) == [
        {"query, in words, short": "One, two?", "reference": "1"},
        {"query, in words, short": "Three?", "reference": "2"},
    ]
    asked = "Which: a; b; c; d; e; f?,1,2,3,4,B\nWhich?,1,2,3,4,C\n"
    assert [row["answer"] for row in read(written(tmp_path, "b.csv", asked))] == ["B", "C"]
    long = "".join(f'"{number}\n{number}";{number}\n' for number in range(30))
    assert len(read(written(tmp_path, "c.csv", "query, text; reference\n" + long))) == 30


def test_questions_with_options_need_no_header(tmp_path: Path) -> None:
    """As MMLU's own files are."""
    question = '"Which, of these, is ""it""?",1,"2, or so",A,4,B\n'
    expected = {"question": 'Which, of these, is "it"?', "answer": "B"}
    expected |= {"A": "1", "B": "2, or so", "C": "A", "D": "4"}
    assert read(written(tmp_path, "a.csv", question * 3)) == [expected] * 3
    assert read(written(tmp_path, "a.csv", question)) == [expected]


@pytest.mark.parametrize(
    "header", ["question,answer,A,B,C,D", "problem,w,x,y,A", "id,x,y,z,C", "a,b,A"]
)
def test_a_header_that_ends_in_a_letter_is_one(tmp_path: Path, header: str) -> None:
    cells = ",".join("wrong" for _ in header.split(","))
    (row,) = read(written(tmp_path, "a.csv", f"{header}\n{cells}\n"))
    assert list(row) == header.split(",")


def test_rows_are_counted_and_come_before_a_later_error(tmp_path: Path) -> None:
    path = written(tmp_path, "a.jsonl", '{"a": 1}\n\n{"a": 2}\n{"a": \n')
    rows = read_rows(path)
    assert [next(rows), next(rows)] == [(1, {"a": 1}), (2, {"a": 2})]
    with pytest.raises(ReadError, match="Row 3") as caught:
        next(rows)
    assert caught.value.row == 3


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.jsonl", '{"a": 1}\nno', "Row 2 is not JSON"),
        ("a.jsonl", '{"a": 1}\n[1]', "Row 2 is not a JSON object"),
        ("a.jsonl", '[\n{"a": 1}\n]', "Row 1 is not JSON"),
        ("a.jsonl", '{"a": NaN}', "Row 1 is not JSON: NaN"),
        ("a.jsonl", '{"a": 1e400}', "Row 1 is not JSON: 1e400 is too large"),
        ("a.jsonl", '{"a": [-1e999]}', "Row 1 is not JSON: -1e999 is too large"),
        ("a.jsonl", gzip.compress(b'{"a": 1}'), "is compressed .gzip"),
        ("a.csv", gzip.compress(b"a\n1"), "is compressed .gzip"),
        ("a.csv", b"PK\x03\x04" + b"\0" * 40, "is compressed .ZIP"),
        ("a.csv", bz2.compress(b"a\n1"), "is compressed .bzip2"),
        ("a.jsonl.gz", gzip.compress(b'{"a": 1}'), "is compressed"),
        ("tasks.XLSX", b"PK\x03\x04", "is compressed"),
        ("a.jsonl", b'{"a": "\xff"}', "Row 1 is not UTF-8"),
        ("a.jsonl", '{"a": 1}'.encode("utf-16"), "Row 1"),
        ("a.jsonl", "[" * 100_000, "Row 1 is not JSON"),
        ("a.csv", "", "no header"),
        ("a.csv", ",,\n1,2,3", "no header"),
        ("a.csv", "a,a\n1,2", "names a column twice: a"),
        ("a.csv", "a,b\n1\n", "Row 1 has 1 cell; the header has 2"),
        ("a.csv", "a,b\n1,2\n1,2,3\n", "Row 2 has 3 cells"),
        ("a.csv", b"a\n1\n\xff\n", "is not UTF-8"),
        ("a.csv", "a\n1\n".encode("utf-16"), "is not UTF-8"),
        ("a.parquet", b"", "not Parquet"),
        ("a.parquet", b"PAR1" + b"\0" * 100 + b"PAR1", "not Parquet"),
        ("a.parquet", '{"a": 1}', "not Parquet"),
        ("a.txt", "x", "does not show the file's type"),
        ("a", "x", "does not show the file's type"),
    ],
)
def test_bad_files_are_explained(
    tmp_path: Path, name: str, content: bytes | str, said: str
) -> None:
    with pytest.raises(ReadError, match=said) as caught:
        read(written(tmp_path, name, content))
    assert caught.value.remedy


@pytest.mark.parametrize("deep", [450, 900])
def test_a_row_that_is_nested_too_deep_is_refused(tmp_path: Path, deep: int) -> None:
    for opened, closed in (("[", "]"), ('{"a": ', "}")):
        for depth, is_read in ((40, True), (deep, False)):
            line = '{"a": ' + opened * depth + "0" + closed * depth + "}"
            path = written(tmp_path, "a.jsonl", '{"a": 1}\n' + line)
            if is_read:
                assert len(read(path)) == 2
                continue
            with pytest.raises(ReadError, match="Row 2 has values nested") as caught:
                read(path)
            assert caught.value.remedy


def test_a_parquet_that_was_cut_off_is_explained(tmp_path: Path) -> None:
    whole = tmp_path / "whole.parquet"
    rows = [{"a": str(n) * 50} for n in range(5_000)]
    parquet.write_table(pyarrow.Table.from_pylist(rows), whole)
    content = whole.read_bytes()
    for broken in (content[:-10], content[: len(content) // 2], content[:4] + content[2_000:]):
        with pytest.raises(ReadError, match="not Parquet, or it is damaged"):
            read(written(tmp_path, "a.parquet", broken))


@pytest.fixture(params=["a.jsonl", "a.csv", "a.parquet"])
def twenty(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Twenty rows of 50 characters, in every format."""
    path: Path = tmp_path / request.param
    text = "x" * 50
    if path.suffix == ".parquet":
        parquet.write_table(pyarrow.table({"a": [text] * 20}), path)
    elif path.suffix == ".csv":
        path.write_text("a\n" + f"{text}\n" * 20)
    else:
        path.write_text((json.dumps({"a": text}) + "\n") * 20)
    return path


def test_limits_hold_in_every_format(twenty: Path) -> None:
    assert len(read(twenty, rows=20, row_bytes=100)) == 20
    with pytest.raises(ReadError, match="more than 19 rows"):
        read(twenty, rows=19, row_bytes=100)
    with pytest.raises(ReadError, match=r"Row 1 .*more than 40"):
        read(twenty, row_bytes=40)


def test_limits_hold_for_all_rows_of_all_files_together(twenty: Path) -> None:
    found = read_rows(twenty, twenty, limits=Limits(bytes=3_000))
    assert [number for number, _ in found] == [*range(1, 41)]
    with pytest.raises(ReadError, match="unpacked"):
        list(read_rows(twenty, twenty, limits=Limits(bytes=1_500)))
    with pytest.raises(ReadError, match="more than 39 rows"):
        list(read_rows(twenty, twenty, limits=Limits(rows=39)))


def test_a_line_without_an_end_does_not_fill_the_memory(tmp_path: Path) -> None:
    for name in ("a.jsonl", "a.csv"):
        path = tmp_path / name
        with path.open("wb") as file:
            file.seek(10**10)  # a sparse file of ten gigabytes
            file.write(b"x")
        with pytest.raises(ReadError):
            read(path)


def test_a_quotation_mark_left_open_does_not_fill_the_memory(tmp_path: Path) -> None:
    """The row would go on to the end of the file, line by line."""
    path = tmp_path / "a.csv"
    path.write_text('a,b\n1,2\n3,"' + "\n" * 10_000)
    with pytest.raises(ReadError, match=r"Row 2 .*more than 1,000 characters") as caught:
        read(path, row_bytes=1_000)
    assert "quotation mark" in str(caught.value)
    path.write_text("a,b\n" + '1,"\n\n2"\n\n' * 500)
    assert read(path, row_bytes=20) == [{"a": "1", "b": "\n\n2"}] * 500
    path.write_text('"a\n\n\n\n"')
    with pytest.raises(ReadError, match=r"Row 1 .*more than 5 characters"):
        read(path, row_bytes=5)


def packed(path: Path, most_bytes: int, dictionary: bool = True, **columns: Any) -> Path:
    """A file with these columns that is smaller than so many bytes."""
    table = pyarrow.table(columns)
    parquet.write_table(table, path, compression="zstd", use_dictionary=dictionary)
    assert path.stat().st_size < most_bytes
    return path


def nothings(path: Path) -> Path:
    """One row with a list of eight million nulls, which a file says in one word."""
    offsets = pyarrow.array([0, 8_000_000], pyarrow.int32())
    return packed(
        path, 1_000, query=pyarrow.ListArray.from_arrays(offsets, pyarrow.nulls(8_000_000))
    )


def repeated(rows: int, *values: str) -> Any:
    """A column of the first value, whose dictionary has them all."""
    return pyarrow.DictionaryArray.from_arrays(
        pyarrow.array([0] * rows, pyarrow.int32()), [*values]
    )


def test_every_type_of_a_parquet_comes_back(tmp_path: Path) -> None:
    row = {
        "text": "größe, 数",
        "bytes": b"\x00\xff",
        "day": date(2026, 1, 2),
        "time": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        "price": Decimal("1.50"),
        "share": 0.25,
        "nested": [{"a": [1, None]}, {"a": []}],
        "nothing": None,
    }
    table = pyarrow.Table.from_pylist([row] * 200)
    kinds = pyarrow.array(["x", "y"] * 100).dictionary_encode()
    path = tmp_path / "a.parquet"
    parquet.write_table(table.append_column("kind", kinds), path, row_group_size=70)
    assert read(path) == [{**row, "kind": kind} for kind in ["x", "y"] * 100]
    parquet.write_table(table.slice(0, 0), path)
    assert read(path) == []


def test_unread_columns_are_left_out_and_do_not_count(tmp_path: Path) -> None:
    picture = {"bytes": os.urandom(5_000), "path": "x" * 5_000}
    rows = [{"query": "1 + 1?", "preview": picture, "other": "y" * 5_000}] * 20
    path = tmp_path / "a.parquet"
    parquet.write_table(pyarrow.Table.from_pylist(rows), path, use_dictionary=False)
    less = {"bytes": 1_000, "row_bytes": 100}
    assert read(path, unread=("preview", "other", "none"), **less) == [{"query": "1 + 1?"}] * 20
    for unread in ((), ("preview",), ("other",)):
        with pytest.raises(ReadError, match="more than"):
            read(path, unread=unread, **less)


def test_a_parquet_that_takes_too_much_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.parquet"
    parquet.write_table(pyarrow.table({"a": ["x" * 2_000_000] * 60}), path, use_dictionary=False)
    assert len(read(path)) == 60
    monkeypatch.setattr(readers, "PARQUET_BYTES", 400 * MIB)
    with pytest.raises(ReadError, match="more than 400 MiB of memory") as caught:
        read(path)
    assert "parts" in caught.value.remedy


def test_a_small_parquet_that_takes_long_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every row is short, and for each of them a long value that none has is unpacked again."""
    path = packed(tmp_path / "a.parquet", 100_000, query=repeated(200_000, "x", "b" * 1_900_000))
    monkeypatch.setattr(readers, "PARQUET_SECONDS", 2)
    with pytest.raises(ReadError, match="far too long to unpack") as caught:
        read(path)
    assert caught.value.remedy


def test_a_reader_that_stops_early_leaves_no_process(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    parquet.write_table(pyarrow.table({"a": ["x" * 1_000] * 5_000}), path)
    children = Path(f"/proc/self/task/{threading.get_native_id()}/children")
    before, rows = children.read_text(), read_rows(path)
    assert next(rows)[0] == 1
    assert children.read_text() != before
    assert isinstance(rows, Generator)
    rows.close()
    assert children.read_text() == before


class TestBombs:
    """Small files that are large once unpacked. Read in a process of their own, whose memory grows
    by what they take."""

    def refused(self, path: Path, most_mib: int) -> str:
        code = (
            "import re, sys; from pathlib import Path; import pyarrow.parquet\n"
            "from workers.core.benchmarks.readers import ReadError, read_rows\n"
            # Not getrusage: its peak begins with that of the process that started this one.
            "status = Path('/proc/self/status')\n"
            "peak = lambda: int(re.search(r'VmHWM:\\s*(\\d+)', status.read_text())[1]) // 1024\n"
            "before, kept = peak(), []\n"
            "try:\n    kept.extend(row for _, row in read_rows(Path(sys.argv[1])))\n"
            "except ReadError as error:\n    print(peak() - before, error)\n"
        )
        command = [sys.executable, "-c", code, str(path)]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        grown, _, message = said.partition(" ")
        assert int(grown) < most_mib, said
        return message

    def test_one_value_of_a_hundred_megabytes(self, tmp_path: Path) -> None:
        columns = {"query": ["a" * 100_000_000], "reference": ["1"]}
        path = packed(tmp_path / "a.parquet", 100_000, dictionary=False, **columns)
        assert "Row 1 has more than" in self.refused(path, 50)

    def test_one_long_value_in_many_rows(self, tmp_path: Path) -> None:
        columns = {"query": repeated(30_000, "b" * 20_000), "reference": ["1"] * 30_000}
        path = packed(tmp_path / "a.parquet", 10_000, **columns)
        assert "more than 256 MiB" in self.refused(path, 400)

    def test_a_dictionary_of_one_huge_value(self, tmp_path: Path) -> None:
        path = packed(tmp_path / "a.parquet", 100_000, query=repeated(300, "c" * 60_000_000))
        assert "Row 1 has more than" in self.refused(path, 400)

    def test_a_list_of_millions_of_nothing(self, tmp_path: Path) -> None:
        assert "Row 1 has more than" in self.refused(nothings(tmp_path / "a.parquet"), 50)

    def test_a_footer_that_lies(self, tmp_path: Path) -> None:
        path = nothings(tmp_path / "a.parquet")
        content = path.read_bytes()
        said, instead = b"\x80\xc8\xd0\x07", b"\x82\x80\x80\x00"  # 8,000,000 and 1, zigzag
        footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
        path.write_bytes(content[:footer] + content[footer:].replace(said, instead))
        told = parquet.ParquetFile(path).metadata.row_group(0)
        assert told.column(0).num_values == 1
        assert "Row 1 has more than" in self.refused(path, 50)


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "a.jsonl", "{}")
    with pytest.raises(ReadError, match="pickle"):
        list(read_rows(path, format="pickle"))
    assert list(read_rows(written(tmp_path, "b.data", "{}"), format="jsonl")) == [(1, {})]


def test_columns_are_mapped_to_our_names() -> None:
    row = {"Frage": "1 + 1?", "Antwort": 2, "id": 7}
    found = mapped(row, {"query": "Frage", "reference": "Antwort", "domain": "Fach"})
    assert found == {"query": "1 + 1?", "reference": 2, "id": 7}
    assert mapped({"a": 1, "b": 2}, {"a": "b", "b": "a"}) == {"a": 2, "b": 1}
