"""What an index holds and where it came from, as text."""

from __future__ import annotations

from collections.abc import Iterator

from regis.index import Index, Manifest, SourceRecord, schema
from regis.render.table import paragraphs, size, table
from regis.system.terminal import Screen, plain


def render(index: Index, screen: Screen) -> str:
    """Sources with their rows, what was held out, what it learned, and how much of each answer length there is."""
    manifest = index.manifest
    lines = [
        f"Index {manifest.fingerprint} at {plain(str(index.folder))}",
        f"built {manifest.created} by Regis {manifest.regis}, format {manifest.format_version}, "
        f"{size(sum(manifest.files.values()))} in {len(manifest.files)} files",
        f"newest clue: {manifest.latest_year or 'unknown'}{_held_out(manifest)}",
        *([f"begun with what the starter {manifest.begun} knows"] if manifest.begun else []),
        *(["distilled: it has what was learned from past clues, not the clues"] if manifest.distilled else []),
        "clue encoder: " + ("yes" if manifest.has(schema.ENCODER) else "none yet, `regis learn` makes one"),
        *(["transformer: yes"] if manifest.has(schema.TRANSFORMER) else []),
        *(["reader: yes"] if manifest.has(schema.READER) else []),
        *_calibration(index),
    ]
    parts = [paragraphs(lines, screen)]
    parts += [_layers(manifest, screen)] if manifest.layers else []
    parts += [_source(record, "", screen) for record in manifest.sources]
    parts += [_source(record, "added, ", screen) for record in manifest.added]
    parts += [_source(record, f"layer {layer.name}, ", screen) for layer in manifest.layers for record in layer.sources]
    rows = [(n, f"{held['clues']:,}", f"{manifest.answers_of(n):,}") for n, held in manifest.lengths.items()]
    rows.append(("all", f"{manifest.clues:,}", f"{manifest.answers:,}"))
    parts.append(table(("letters", "clues", "answers"), rows))
    return "\n".join(parts)


def _layers(manifest: Manifest, screen: Screen) -> str:
    """The layers, one a row."""
    on = f"the starter ({manifest.starter})" if manifest.starter else "what was built"
    rows = [
        (
            plain(one.name), one.changed[:10], f"{one.clues:,}", f"{one.words:,}", f"{one.answers:,}",
            size(manifest.files.get(schema.layer_file(one.name), 0)),
        )
        for one in manifest.layers
    ]  # fmt: skip
    return paragraphs([f"layers, on top of {on}:"], screen) + table(
        ("layer", "changed", "clues", "words", "new answers", "on disk"), rows
    )


def _source(record: SourceRecord, how: str, screen: Screen) -> str:
    years = f", {record.earliest} to {record.latest}" if record.earliest else ""
    lines = [f"{how}{record.reader}: {plain(record.file)}{years}"]
    if record.sha256:
        lines.append(f"  {size(record.bytes)}, sha256 {record.sha256[:16]}...")
    lines.append(f"  {record.read:,} rows read, {record.kept:,} kept, {sum(record.rejected.values()):,} rejected")
    lines += [f"    {count:>9,}  {reason}" for reason, count in record.rejected.items()]
    return paragraphs(lines, screen, " " * 15)


def _calibration(index: Index) -> Iterator[str]:
    """On what the weights were fitted."""
    values = index.learned.get(schema.WEIGHTS)
    if isinstance(values, dict) and isinstance(fitted := values.get("fitted"), dict):
        on = [f"{what} {fitted[what]}" for what in ("year", "clues", "log loss") if what in fitted]
        yield plain(f"calibration: {', '.join([str(fitted.get('how', 'unknown')), *on])}")


def _held_out(manifest: Manifest) -> str:
    after, archives = manifest.held_out.get("after"), manifest.held_out.get("archives")
    parts = [f"everything after {after}"] if after and (manifest.latest_year or 0) <= after else []
    parts += [f"the puzzles of {plain(name)}" for name in archives or ()]
    return f"; held out: {', '.join(parts)}" if parts else ""
