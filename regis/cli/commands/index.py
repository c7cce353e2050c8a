"""`regis index`: what an index holds."""

from __future__ import annotations

from regis.cli.grammar.command import Command
from regis.cli.grammar.options import IndexFolder
from regis.cli.output.printing import print_index
from regis.system import paths


class Index(Command):
    help = "Tells what an index holds and where it came from."
    examples = """examples:
  regis index
  regis index --index index-2013
"""

    index: IndexFolder = None

    def run(self) -> int:
        return print_index(paths.index_folder(self.index))
