"""Runs in a process of its own and turns hostile documents into text.

It is passed as text to the interpreter that `sandbox_inside` prepares, with `PACKAGES` set to the
folder of installed packages. On standard input comes one document after the other:
a line of JSON with its length in bytes and its limits, then its bytes. Each is read by a fork of
this process under limits of its own, so that packages are imported once. The answer is a line of
JSON on what was standard output.
"""

import base64
import codecs
import contextlib
import importlib
import io
import json
import os
import re
import resource
import select
import signal
import sys
import time
import zipfile
from functools import partial
from typing import Any

PACKAGES = ""
UNPACKED_MAX = 200_000_000
"""Bytes of all files of an archive. A sheet of this size takes minutes and gigabytes."""
SHORT = 100
LARGE = 2_000_000
"""Characters of a page that is read without looking for its article: that takes a second per MB."""
MIB = 1024 * 1024
PAGES_WITH_TABLES = 20
"""Pages of a PDF whose tables are looked for. That takes five times as long as its text."""
PICTURE_SIDE = 1_536
"""Pixels of a picture's longer side, as a model gets it."""
PICTURE_PIXELS_MAX = 100_000_000
SUFFIXES = {
    **{"pdf": "PDF", "docx": "DOCX", "xlsx": "XLSX", "pptx": "PPTX", "csv": "CSV"},
    **{"html": "HTML", "htm": "HTML", "xhtml": "HTML"},
    **dict.fromkeys(("png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff"), "picture"),
}
MEDIA_TYPES = {
    "text/html": "HTML",
    "application/xhtml+xml": "HTML",
    "application/pdf": "PDF",
    "text/csv": "CSV",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "DOCX",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "XLSX",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "PPTX",
}
NO_RESULT = re.compile(rb"(?:</f>|<f\b[^<>]*/>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>")
PARTS = {"word/": "DOCX", "xl/": "XLSX", "ppt/": "PPTX"}
PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"II*\0", b"MM\0*", b"BM")
OLD_OFFICE = b"\xd0\xcf\x11\xe0"
OFFICE = frozenset({"DOCX", "XLSX", "PPTX"})
RAISED, LOWERED = "<sup>", "<sub>"
"""Else 10<sup>6</sup> becomes 106."""
HEAD = frozenset(
    ("title", "meta", "link", "script", "style", "base", "noscript", "template", "basefont")
)
LIGHT = frozenset({"HTML", "text"})
Told = dict[str, Any]


class Unreadable(Exception):
    """Why a document has no text, as sentences."""


def kind_of(data: bytes, name: str, media_type: str, *, pictures: bool = False) -> str:
    """What the content says, then the media type, then the name. `pictures`: they may be one."""
    if data.startswith(b"%PDF-"):
        return "PDF"
    if is_picture(data):
        if pictures and (not data.startswith(b"RIFF") or data[8:12] == b"WEBP"):
            return "picture"
        raise Unreadable("It is a picture, sound or film. Only text can be read.")
    if data.startswith(OLD_OFFICE):
        raise Unreadable(
            "It is protected by a password, or of an old version of Office. Save it as DOCX, XLSX "
            "or PPTX without a password."
        )
    told = MEDIA_TYPES.get(media_type) or named_kind(name)
    if told == "picture":
        raise Unreadable(NOT_AS_NAMED.format("picture"))
    if data.startswith(b"PK\x03\x04"):
        return told if told in OFFICE else "archive"
    if told:
        return told
    start = data[:1024].lstrip().lower()
    return "HTML" if start.startswith((b"<!doctype html", b"<html")) else "text"


NOT_AS_NAMED = "It is named like a {}, but its content is none."


def named_kind(name: str) -> str:
    return SUFFIXES.get(name.rpartition(".")[2].lower(), "")


def is_picture(data: bytes) -> bool:
    """Two letters alone make no bitmap: a text may begin with them."""
    return data.startswith(PICTURES) and (not data.startswith(b"BM") or b"\0" in data[:64])


def kind_kept(data: bytes, name: str) -> str:
    """The kind of a file that a person attaches, told by its beginning and its directory, without
    reading it. Raises Unreadable for what `read_document` could not read anyway."""
    if not data:
        raise Unreadable("It is empty.")
    kind = kind_of(data, name, "", pictures=True)
    if kind == "PDF" and not data.startswith(b"%PDF-"):
        raise Unreadable(NOT_AS_NAMED.format("PDF"))
    if kind in OFFICE and not data.startswith(b"PK\x03\x04"):
        raise Unreadable(NOT_AS_NAMED.format(f"{kind} file"))
    if kind in OFFICE or kind == "archive":
        return inside_archive(data, kind)
    if kind not in {"PDF", "picture"}:
        is_wide(data, "")
    return kind


def is_wide(data: bytes, charset: str) -> bool:
    """Whether a text is UTF-16. Raises Unreadable for what is no text."""
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff")) or charset.lower().startswith("utf-16")
    if not wide and b"\0" in data[:4096]:
        raise Unreadable("It is no text and no kind of document that can be read.")
    return wide


def decoded(data: bytes, charset: str) -> str:
    from bs4.dammit import UnicodeDammit

    wide = is_wide(data, charset)
    if not wide and charset.lower() in {"", "utf-8", "utf8"}:
        # what is valid UTF-8 is UTF-8, whatever it says; the last character may be cut
        with contextlib.suppress(UnicodeDecodeError):
            return codecs.getincrementaldecoder("utf-8-sig")().decode(data)
    known = [charset] if charset else []
    read = UnicodeDammit(data, known_definite_encodings=known, is_html=True).unicode_markup
    return read if read is not None else data.decode(errors="replace")


def from_html(data: bytes, charset: str, url: str) -> tuple[str, str]:
    """The title, and the text of the article with its tables and links; all text of the page if no
    article is found."""
    import lxml.html
    import trafilatura

    source = decoded(data, charset)
    if not source.strip():
        return "", ""
    parser = lxml.html.HTMLParser(encoding="utf-8")
    tree = lxml.html.document_fromstring(source.encode(errors="replace"), parser=parser)
    if moved_from_head(tree):
        source = lxml.html.tostring(tree, encoding="unicode")
    title = tree.findtext(".//title") or ""
    if len(source) > LARGE:
        return title, all_text(tree, plain=True)
    text = trafilatura.extract(
        source,
        url=url or None,
        output_format="markdown",
        include_links=True,
        include_tables=True,
        include_comments=False,
    )
    text = text or ""
    if len(text) < SHORT:
        everything = all_text(tree)
        return title, everything if len(everything) > len(text) else text
    return title, with_tables(text, tree)


def moved_from_head(tree: Any) -> bool:
    """HTML may leave out <body>. Then the parser puts what it does not know, as <main>, into the
    head."""
    head, body = tree.find("head"), tree.find("body")
    stray = [each for each in head if each.tag not in HEAD] if head is not None else []
    if body is None and stray:
        body = tree.makeelement("body")
        tree.append(body)
    for place, each in enumerate(stray):
        body.insert(place, each)
    return bool(stray)


def all_text(tree: Any, *, plain: bool = False) -> str:
    for element in list(tree.iter("script", "style", "noscript", "template", "head", "svg")):
        if element.getparent() is not None:
            element.drop_tree()
    with contextlib.suppress(RecursionError):
        if not plain:
            return squeezed(markdown(tree))
    return squeezed("\n".join(tree.itertext(with_tail=True)))


def markdown(element: Any) -> str:
    from lxml import etree
    from markdownify import markdownify

    source = etree.tostring(element, encoding="unicode", method="html")
    return str(markdownify(source, sup_symbol=RAISED, sub_symbol=LOWERED))


def with_tables(text: str, tree: Any) -> str:
    """`text` and the tables of the page that are not in it. Trafilatura loses some of them."""
    found = words(text)
    lost = []
    for table in tree.iter("table"):
        cells = [words(" ".join(cell.itertext())) for cell in table.iter("td", "th")]
        cells = [cell for cell in cells if cell]
        nested = (
            any(True for _ in table.iterancestors("table")) or len(list(table.iter("table"))) > 1
        )
        rows = sum(1 for _ in table.iter("tr"))
        if nested or rows < 2 or len(cells) < 4:
            continue
        if 2 * sum(cell in found for cell in cells) < len(cells):
            lost.append(squeezed(markdown(table)))
    return "\n\n".join([text, *lost])


def words(text: str) -> str:
    """Only letters and digits, so that marks of Markdown do not matter."""
    return re.sub(r"[\W_]+", " ", text).strip().lower()


def squeezed(text: str) -> str:
    lines = (re.sub(r"[ \t\xa0]+", " ", line).strip() for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def from_pdf(data: bytes, seconds: float) -> tuple[str, bool]:
    """The text, and whether pages were left out because there was no time for them. Tables are
    looked for in short documents."""
    from pdfminer.pdfdocument import PDFPasswordIncorrect
    from pdfminer.pdfpage import PDFPage

    until = time.monotonic() + 0.6 * seconds
    try:
        pages = list(PDFPage.get_pages(io.BytesIO(data)))
        if 0 < len(pages) <= PAGES_WITH_TABLES:
            return from_office(data, "PDF")[1], False
        return pages_read(data, len(pages), until)
    except (MemoryError, RecursionError, Unreadable):
        raise
    except PDFPasswordIncorrect as error:
        raise Unreadable("It is protected by a password. Save it without one.") from error
    except Exception as error:
        raise Unreadable(not_whole("PDF", error)) from error


def pages_read(data: bytes, count: int, until: float) -> tuple[str, bool]:
    from pdfminer.converter import TextConverter
    from pdfminer.layout import LAParams
    from pdfminer.pdfinterp import PDFPageInterpreter, PDFResourceManager
    from pdfminer.pdfpage import PDFPage

    written, fonts = io.StringIO(), PDFResourceManager()
    device = TextConverter(fonts, written, laparams=LAParams())
    interpreter = PDFPageInterpreter(fonts, device)
    for number, page in enumerate(PDFPage.get_pages(io.BytesIO(data)), start=1):
        if time.monotonic() > until:
            left = f"[Pages {number} to {count} were not read: there was no time for them.]"
            return squeezed(f"{written.getvalue()}\n\n{left}"), True
        interpreter.process_page(page)
    return squeezed(written.getvalue()), False


def not_whole(kind: str, error: Exception) -> str:
    said = " ".join(f"{type(error).__name__} {error}".split())[:200]
    return f"It is not a whole {kind} file ({said})."


def check_pixels(width: int, height: int) -> None:
    if width * height > PICTURE_PIXELS_MAX:
        raise Unreadable(
            f"The picture has {width} × {height} pixels. Make it smaller: at most "
            f"{PICTURE_PIXELS_MAX / 1e6:.0f} million are allowed."
        )


def from_picture(data: bytes) -> str:
    """A JPEG in base64, of a size that models take. Parts that let through light are white."""
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(data)) as opened:
            check_pixels(*opened.size)
            opened.draft("RGB", (PICTURE_SIDE, PICTURE_SIDE))
            picture = ImageOps.exif_transpose(opened).convert("RGBA")
    except (Unreadable, MemoryError):
        raise
    except UnidentifiedImageError as error:
        raise Unreadable("It is no whole picture. Use PNG, JPEG, GIF or WEBP.") from error
    except Exception as error:
        raise Unreadable(not_whole("picture", error)) from error
    picture.thumbnail((PICTURE_SIDE, PICTURE_SIDE))
    paper, target = Image.new("RGB", picture.size, "white"), io.BytesIO()
    paper.paste(picture, mask=picture)
    paper.save(target, "JPEG", quality=85)
    return base64.b64encode(target.getvalue()).decode()


def from_office(data: bytes, kind: str) -> tuple[str, str]:
    import markitdown
    from markitdown import converters

    if kind in OFFICE or kind == "archive":
        kind = inside_archive(data, kind)
    if kind == "CSV":
        data = decoded(data, "").encode()
    by_kind: dict[str, type[markitdown.DocumentConverter]] = {
        "PDF": converters.PdfConverter,
        "DOCX": converters.DocxConverter,
        "XLSX": converters.XlsxConverter,
        "PPTX": converters.PptxConverter,
        "CSV": converters.CsvConverter,
    }
    reader = by_kind[kind]()
    if kind == "XLSX":
        cells_as_they_are()
    charset = "utf-8" if kind == "CSV" else None
    about = markitdown.StreamInfo(extension=f".{kind.lower()}", charset=charset)
    try:
        read = reader.convert(io.BytesIO(data), about, sup_symbol=RAISED, sub_symbol=LOWERED)
    except (MemoryError, RecursionError):
        raise
    except Exception as error:
        raise Unreadable(not_whole(kind, error)) from error
    text = squeezed(read.markdown)
    if kind == "XLSX" and (unknown := formulas_without_result(data)):
        text += f"\n\n[Formulas whose result the file does not hold, empty here: {unknown}.]"
    return read.title or "", text


def cells_as_they_are() -> None:
    """In this fork. Otherwise pandas, which markitdown asks, makes numbers of texts (007, NA),
    rounds to six digits and cuts texts at 50 characters."""
    pandas: Any = importlib.import_module("pandas")
    pandas.set_option("display.max_colwidth", None)
    pandas.set_option("display.float_format", repr)
    pandas.read_excel = partial(pandas.read_excel, dtype=object, na_filter=False)


def formulas_without_result(data: bytes) -> int:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        sheets = [name for name in archive.namelist() if name.startswith("xl/worksheets/")]
        return sum(len(NO_RESULT.findall(archive.read(name))) for name in sheets)


def inside_archive(data: bytes, kind: str) -> str:
    try:
        entries = zipfile.ZipFile(io.BytesIO(data)).infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise Unreadable(f"It is not a whole {kind} file ({error}).") from error
    if any(entry.flag_bits & 1 for entry in entries):
        raise Unreadable("It is protected by a password. Save it without one.")
    size = sum(entry.file_size for entry in entries)
    if size > UNPACKED_MAX:
        raise Unreadable(
            f"It unpacks to {size / 1e6:,.0f} MB; {UNPACKED_MAX / 1e6:.0f} MB are allowed."
        )
    for start, known in PARTS.items():
        if any(entry.filename.startswith(start) for entry in entries):
            return known
    names = ", ".join(entry.filename for entry in entries[:20])
    raise Unreadable(f"It is an archive, not a document. It holds: {names}")


def read_document(data: bytes, about: Told) -> Told:
    kind = kind_of(data, about["name"], about["media_type"], pictures=about["pictures"])
    title, left_out = "", False
    if kind == "HTML":
        title, text = from_html(data, about["charset"], about["url"])
    elif kind == "text":
        text = decoded(data, about["charset"])
    elif kind == "picture":
        return {"ok": True, "title": "", "text": "", "cut": False, "picture": from_picture(data)}
    elif kind == "PDF":
        text, left_out = from_pdf(data, about["seconds"])
    else:
        title, text = from_office(data, kind)
    chars = about["chars"]
    return {
        "ok": True,
        "title": " ".join(title.split()),
        "text": text[:chars],
        "cut": left_out or len(text) > chars,
        "picture": "",
    }


def prepare(data: bytes, about: Told) -> None:
    """Import and load here what the fork needs: the next one has it, too."""
    try:
        kind = kind_of(data, about["name"], about["media_type"], pictures=about["pictures"])
    except Unreadable:
        return
    if kind == "picture":
        import PIL.Image

        PIL.Image.init()
        return
    import bs4.dammit
    import markdownify
    from trafilatura import external

    if external.JT_STOPLIST is None:
        external.jt_stoplist_init()  # every fork would take 0.3 s for a page with little text
    if kind not in LIGHT:
        import markitdown.converters
        import pdfminer.high_level

        _ = markitdown, pdfminer
    _ = bs4, markdownify


def in_fork(data: bytes, about: Told, out: int) -> None:
    """Never returns."""
    try:
        seconds, memory = int(about["seconds"]) + 1, about["memory_mib"] * MIB
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        try:
            told = read_document(data, about)
        except Unreadable as error:
            told = {"ok": False, "error": str(error)}
        except MemoryError:
            told = {"ok": False, "error": f"It needs more than {about['memory_mib']} MiB."}
        except RecursionError:
            told = {"ok": False, "error": "It is nested too deeply."}
        except Exception as error:
            said = " ".join(f"{type(error).__name__} {error}".split())[:200]
            told = {"ok": False, "error": f"It can't be read ({said})."}
        with open(out, "wb") as pipe:
            pipe.write(json.dumps(told).encode())
        os._exit(0)
    except BaseException:
        os._exit(1)


def watched(child: int, source: int, about: Told) -> bytes:
    """What the fork writes until its end or its last second."""
    until = time.monotonic() + about["seconds"]
    parts = []
    while (left := until - time.monotonic()) > 0 and select.select([source], [], [], left)[0]:
        if not (part := os.read(source, 1 << 20)):
            break
        parts.append(part)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        error = f"Reading it took longer than {about['seconds']:g} seconds."
        return json.dumps({"ok": False, "error": error}).encode()
    os.waitpid(child, 0)
    error = "Reading it ended without a result: it took too much memory or time."
    return b"".join(parts) or json.dumps({"ok": False, "error": error}).encode()


def answered(data: bytes, about: Told) -> bytes:
    prepare(data, about)
    source, out = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(source)
        in_fork(data, about, out)
    os.close(out)
    try:
        return watched(child, source, about)
    finally:
        os.close(source)


def exactly(size: int) -> bytes:
    parts, found = [], 0
    while found < size and (part := os.read(0, min(size - found, 1 << 20))):
        parts.append(part)
        found += len(part)
    return b"".join(parts)


def a_line() -> bytes:
    """Byte by byte: what follows is a document."""
    line = b""
    while (byte := os.read(0, 1)) not in (b"", b"\n"):
        line += byte
    return line


def serve(answer: int) -> None:
    while line := a_line():
        about = json.loads(line)
        told = answered(exactly(about["size"]), about) + b"\n"
        while told:
            told = told[os.write(answer, told) :]


def main() -> None:
    answer = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for standard in (1, 2):
        os.dup2(nowhere, standard)  # packages print warnings
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    sys.path.append(PACKAGES)
    serve(answer)


if __name__ == "__main__":
    main()
