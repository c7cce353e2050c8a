"""`regis index`: what an index holds."""

from __future__ import annotations

from typing import Annotated

from regis.cli.grammar.command import Command, Option
from regis.cli.grammar.options import IndexFolder
from regis.cli.output.printing import print_index
from regis.system import paths


class Index(Command):
    help = "Shows what an index holds and where it came from."
    examples = """examples:
  regis index
  regis index --all --index index-2013

Sources of one kind are added up; --all shows each of them, why rows were left out, and the answers by length.
"""

    index: IndexFolder = None
    all: Annotated[bool, Option("show every source, and how many answers there are of each length")] = False

    def run(self) -> int:
        return print_index(paths.index_folder(self.index), is_detailed=self.all)
