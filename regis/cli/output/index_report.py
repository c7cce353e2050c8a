"""What an index holds, as the commands end that make or change one."""

from __future__ import annotations

import sys
from pathlib import Path

from regis.cli.grammar.options import open_index
from regis.cli.output.printing import print_result
from regis.system.terminal import Screen


def print_index(folder: Path) -> int:
    """Print what the index at `folder` holds."""
    from regis.render.reports import manifest

    return print_result(manifest.render_index(open_index(folder), Screen.for_stream(sys.stdout)))
