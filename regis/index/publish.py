"""How an index comes into being: in a folder of another name first, then in its place, whole or not at all.

`workshop` is that folder, `publish` the renaming. Between its two renames the old index has a third name, where
`Index.open` looks for it too (regis.system.paths).
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Set
from contextlib import contextmanager
from pathlib import Path

from regis.errors import OutputError
from regis.index import manifest
from regis.system import disk, paths

ELSEWHERE = "choose another with --out or --index"


@contextmanager
def workshop(out: Path) -> Iterator[Path]:
    """A folder beside `out` to build in, removed at the end whatever happens; only one build at a time has it.

    In it lies an empty folder `index`. Raises OutputError.
    """

    def refused(cause: OSError | None) -> str:
        why = f" ({cause.strerror or cause})" if cause else ""
        return f"the index cannot be written to {out}{why}; {ELSEWHERE}"

    try:
        if out.exists() and not (out / manifest.NAME).is_file() and (not out.is_dir() or any(out.iterdir())):
            raise OutputError(f"{out} is there and is no index; choose another place with --out")
    except OSError as cause:
        raise OutputError(refused(cause)) from cause
    busy = f"another build is writing {out}; wait for it, or choose another place with --out"
    with disk.locked(out.with_name(out.name + ".lock"), busy, refused):
        for left in out.parent.glob(f".{out.name}.building-*"):  # by a build that was killed
            shutil.rmtree(left, ignore_errors=True)
        folder = Path(tempfile.mkdtemp(prefix=f".{out.name}.building-", dir=out.parent))
        try:
            (folder / "index").mkdir()
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def publish(built: Path, out: Path, record: manifest.Manifest) -> manifest.Manifest:
    """Puts the finished folder `built` in the place of `out`, which stays whole until the new one is there.

    Its manifest is `record` with all files listed, which is returned.
    """
    record = manifest.with_files(record, built)
    (built / manifest.NAME).write_text(record.to_json(), encoding="utf-8")
    for path in [p for p in built.rglob("*") if p.is_file()]:
        disk.flush(path)
    before = paths.previous(out)
    if out.exists():
        shutil.rmtree(before, ignore_errors=True)
        out.rename(before)
    built.rename(out)
    shutil.rmtree(before, ignore_errors=True)
    return record


def copy(index: Path, to: Path, without: Set[str]) -> None:
    """The tables of `index` under another name, `without` what will be written again: links are written through.

    `without` names files, or folders with all that is in them.
    """
    for path in index.rglob("*"):
        inside = path.relative_to(index)
        if path.is_dir() or not without.isdisjoint(inside.parts):
            continue
        (to / inside).parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(path, to / inside)
        except OSError:
            shutil.copyfile(path, to / inside)
