"""What an index holds and where it came from, as text."""

from __future__ import annotations

from regis.columns import wrapped
from regis.index import tables
from regis.index.manifest import Manifest, SourceRecord
from regis.render.table import table
from regis.screen import Screen, plain


def render(manifest: Manifest, where: str, screen: Screen) -> str:
    """Sources with their rows, what was held out, and how much of each answer length there is."""
    lines = [
        f"Index {manifest.fingerprint} at {plain(where)}",
        f"built {manifest.created} by Regis {manifest.regis}, format {manifest.format_version}, "
        f"{_size(sum(manifest.files.values()))} in {len(manifest.files)} files",
        f"newest clue: {manifest.latest_year or 'unknown'}{_held_out(manifest)}",
        "clue encoder: " + ("yes" if _has_encoder(manifest) else "none yet, `regis learn` makes one"),
    ]
    parts = ["".join(f"{part}\n" for line in lines for part in wrapped(line, screen.width))]
    parts += [_source(record, screen) for record in manifest.sources]
    rows = [(n, f"{size['clues']:,}", f"{size['answers']:,}") for n, size in manifest.lengths.items()]
    sums = [sum(size[what] for size in manifest.lengths.values()) for what in ("clues", "answers")]
    parts.append(table(("letters", "clues", "answers"), [*rows, ("all", *(f"{n:,}" for n in sums))]))
    return "\n".join(parts)


def _source(record: SourceRecord, screen: Screen) -> str:
    years = f", {record.earliest} to {record.latest}" if record.earliest else ""
    lines = [f"{record.reader}: {plain(record.file)}{years}"]
    if record.sha256:
        lines.append(f"  {_size(record.bytes)}, sha256 {record.sha256[:16]}...")
    lines.append(f"  {record.read:,} rows read, {record.kept:,} kept, {sum(record.rejected.values()):,} rejected")
    lines += [f"    {count:>9,}  {reason}" for reason, count in record.rejected.items()]
    return "".join(f"{part}\n" for line in lines for part in wrapped(line, screen.width, "", " " * 15))


def _has_encoder(manifest: Manifest) -> bool:
    return any(name.startswith(f"{tables.ENCODER}/") for name in manifest.files)


def _held_out(manifest: Manifest) -> str:
    after, archives = manifest.held_out.get("after"), manifest.held_out.get("archives")
    parts = [f"everything after {after}"] if after else []
    parts += [f"the puzzles of {plain(name)}" for name in archives or ()]
    return f"; held out: {', '.join(parts)}" if parts else ""


def _size(count: int) -> str:
    """1234567 -> '1.2 MB'."""
    for unit, of in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= of:
            return f"{count / of:.1f} {unit}"
    return f"{count} bytes"
