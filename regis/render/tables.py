"""Tables and paragraphs of plain text: an index's contents, corpora, and downloads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from regis.corpora.catalogue import Corpus, part_file
from regis.corpora.download import FetchedFile
from regis.index import Index, Manifest, SourceRecord
from regis.index.tables import schema
from regis.system.terminal import Screen, pad_text, plain_text, text_width, wrap_text

RULE_ROW: tuple[str, ...] = ()  # a row that is an empty line


def headed_paragraphs(headed_sentences: Sequence[tuple[str, str]], screen: Screen) -> str:
    """Write a paragraph for each (heading, sentence); without a heading, continue the paragraph before."""
    margin = max(text_width(heading) for heading, _ in headed_sentences) + 2
    width = max(screen.width, 2 * margin)
    lines: list[str] = []
    for heading, sentence in headed_sentences:
        lines += wrap_text(plain_text(sentence), width, pad_text(heading, margin), " " * margin, keep_words=True)
    return "\n".join(lines) + "\n"


def wrap_paragraphs(lines: Iterable[str], screen: Screen, rest_indent: str = "") -> str:
    parts = [
        part for line in lines for part in wrap_text(line, screen.width, other_indent=rest_indent, keep_words=True)
    ]
    return "".join(f"{part}\n" for part in parts)


def format_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Align the first column left and all others right."""
    full_rows = [row for row in (headings, *rows) if row]
    widths = [max(len(row[i]) for row in full_rows) for i in range(len(headings))]
    lines = []
    for row in (headings, *rows):
        parts = [x.rjust(w) if i else x.ljust(w) for i, (x, w) in enumerate(zip(row, widths, strict=False))]
        lines.append("  ".join(parts).rstrip())
    return "\n".join(lines) + "\n"


def format_size(byte_count: int) -> str:
    for unit, unit_bytes in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if byte_count >= unit_bytes:
            return f"{byte_count / unit_bytes:.1f} {unit}"
    return f"{byte_count} bytes"


def render_index(index: Index, screen: Screen, is_detailed: bool = False) -> str:
    """Render what was read, held out, and learned; in detail also each source, and row counts by length."""
    manifest = index.manifest
    lines = [
        f"Index {manifest.fingerprint} at {plain_text(str(index.folder))}",
        f"built {manifest.created} by Regis {manifest.regis}, format {manifest.format_version}, "
        f"{format_size(sum(manifest.files.values()))} in {len(manifest.files)} files",
        f"newest clue: {manifest.latest_year or 'unknown'}{_held_out_text(manifest)}",
        *([f"built on the starter {manifest.begun}"] if manifest.begun else []),
        *(["distilled: what was learned from past clues, without the clues"] if manifest.without_clues else []),
        "clue encoder: " + ("yes" if manifest.has_part(schema.ENCODER) else "none yet (run `regis learn`)"),
        *(["transformer: yes"] if manifest.has_part(schema.TRANSFORMER) else []),
        *(["reader: yes"] if manifest.has_part(schema.CROSS_ENCODER) else []),
        *_calibration_lines(index),
        f"{manifest.answer_count:,} answers of {min(index.lengths)} to {max(index.lengths)} letters, "
        f"{_clue_count_text(manifest)}",
    ]
    parts = [wrap_paragraphs(lines, screen)]
    if manifest.layers:  # what the person added comes first
        parts = [wrap_paragraphs(lines[:1], screen), _layer_table(manifest, screen), wrap_paragraphs(lines[1:], screen)]
    if not is_detailed:
        more = "`regis index --all` shows each file and why rows were left out."
        return "\n".join([*parts, _source_table(manifest), wrap_paragraphs([more], screen)])
    parts += [_source_lines(record, "", screen) for record in manifest.sources]
    parts += [_source_lines(record, "added, ", screen) for record in manifest.added]
    parts += [
        _source_lines(record, f"layer {layer.name}, ", screen) for layer in manifest.layers for record in layer.sources
    ]
    rows = [
        (n, f"{held['clues']:,}", f"{manifest.answer_count_of_length(n):,}") for n, held in manifest.lengths.items()
    ]
    rows.append(("all", f"{manifest.clue_count:,}", f"{manifest.answer_count:,}"))
    parts.append(format_table(("letters", "clues", "answers"), rows))
    return "\n".join(parts)


def _clue_count_text(manifest: Manifest) -> str:
    """Return '2,000 clues', or say that only layers have some."""
    if manifest.clue_count or not manifest.layers:
        return f"{manifest.clue_count:,} clues"
    return "no clues except in layers"


def _layer_table(manifest: Manifest, screen: Screen) -> str:
    below = f"the starter ({manifest.starter})" if manifest.starter else "what was built"
    rows = [
        (
            plain_text(x.name), x.changed[:10], f"{x.clues:,}", f"{x.words:,}", f"{x.answers:,}",
            format_size(manifest.files.get(schema.layer_file(x.name), 0)),
        )
        for x in manifest.layers
    ]  # fmt: skip
    return wrap_paragraphs([f"layers, on top of {below}:"], screen) + format_table(
        ("layer", "changed", "clues", "words", "new answers", "on disk"), rows
    )


def _source_table(manifest: Manifest) -> str:
    """Sum up the sources of each reader, including layers."""
    records: dict[str, list[SourceRecord]] = defaultdict(list)
    of_layers = [record for layer in manifest.layers for record in layer.sources]
    for record in [*manifest.sources, *manifest.added, *of_layers]:
        records[record.reader].append(record)
    rows = [
        (
            reader, f"{len(group):,}", f"{sum(x.read for x in group):,}", f"{sum(x.kept for x in group):,}",
            f"{sum(sum(x.rejected.values()) for x in group):,}",
        )
        for reader, group in records.items()
    ]  # fmt: skip
    return format_table(("reader", "files", "rows read", "kept", "left out"), rows)


def _source_lines(record: SourceRecord, prefix: str, screen: Screen) -> str:
    years = f", {record.earliest} to {record.latest}" if record.earliest else ""
    lines = [f"{prefix}{record.reader}: {plain_text(record.file)}{years}"]
    if record.sha256:
        lines.append(f"  {format_size(record.bytes)}, sha256 {record.sha256[:16]}...")
    lines.append(f"  {record.read:,} rows read, {record.kept:,} kept, {sum(record.rejected.values()):,} left out")
    lines += [f"    {count:>9,}  {reason}" for reason, count in record.rejected.items()]
    return wrap_paragraphs(lines, screen, " " * 15)


def _calibration_lines(index: Index) -> Iterator[str]:
    values = index.fitted_values.get(schema.WEIGHTS_KEY)
    if isinstance(values, dict) and isinstance(fitted := values.get("fitted"), dict):
        data = [f"{key} {fitted[key]}" for key in ("year", "clues", "log loss") if key in fitted]
        yield plain_text(f"calibration: {', '.join([str(fitted.get('how', 'unknown')), *data])}")


def _held_out_text(manifest: Manifest) -> str:
    after, archives = manifest.held_out.get("after"), manifest.held_out.get("archives")
    parts = [f"everything after {after}"] if after and (manifest.latest_year or 0) <= after else []
    parts += [f"the puzzles of {plain_text(name)}" for name in archives or ()]
    return f"; held out: {', '.join(parts)}" if parts else ""


LINE_INDENT = "  "


def render_corpora(corpora: Iterable[Corpus], folder: Path, screen: Screen) -> str:
    """Render the corpora to download, with licenses, and what `folder` already has."""
    parts = []
    for corpus in corpora:
        notes = ["address not tested"] if corpus.untried else []
        lines = [corpus.holds, license_line(corpus), *notes, _download_state(corpus, folder)]
        parts.append(_named_paragraphs(corpus.name, lines, screen))
    place = f"Downloads are in {plain_text(str(folder))}"
    return "\n".join([*parts, wrap_paragraphs([place], screen, LINE_INDENT * 2)])


def license_line(corpus: Corpus) -> str:
    return f"license: {corpus.license}"


def render_download(corpus: Corpus, download: FetchedFile, screen: Screen) -> str:
    """Render what was downloaded, and what was compared."""
    state = plain_text(str(download.path)) + ("" if download.is_new else ", already there; --again downloads it again")
    lines = [state, f"{format_size(download.byte_count)}, sha256 {download.sha256[:16]}..."]
    if corpus.sha256:
        lines[-1] += ", as expected"
    elif download.is_new:
        lines.append(f"its size is as announced; there's no checksum because it changes {corpus.changes}")
    return _named_paragraphs(corpus.name, lines, screen)


def _download_state(corpus: Corpus, folder: Path) -> str:
    path = folder / corpus.file
    if path.is_file():
        return f"fetched, {format_size(path.stat().st_size)}"
    if not corpus.url:
        return f"not downloaded; get it yourself from {corpus.page} and save it as {corpus.file} there"
    partial = part_file(path)
    return f"begun, {format_size(partial.stat().st_size)}" if partial.is_file() else "not fetched"


def _named_paragraphs(name: str, lines: Iterable[str], screen: Screen) -> str:
    return name + "\n" + wrap_paragraphs((LINE_INDENT + line for line in lines), screen, LINE_INDENT * 2)
