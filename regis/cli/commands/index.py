"""`regis index` and `doctor`: what an index holds, and how this copy of Regis is."""

from __future__ import annotations

import sys
from typing import Annotated

from regis.cli.command import Command, IndexFolder, Option
from regis.cli.printing import EXIT_FAILED, EXIT_FINE, print_index, print_result
from regis.cli.progress import show_progress
from regis.system import paths, process
from regis.system.terminal import Screen


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


class Doctor(Command):
    help = "Checks the index that is used, and shows what is installed."
    interrupted_message = "nothing was changed"
    examples = """examples:
  regis doctor
  regis doctor --index index-2013
  regis doctor --clear

Reads every table of the index that would be used, says why it is that one, and ends with a verdict. Send the output
along when you report a mistake; it names folders, and nothing of your puzzles. The exit code is 1 if no puzzle can be
solved.

The tables of a packed index, such as the starter, are unpacked once and kept for the next time; --clear deletes them.
"""

    index: IndexFolder = None
    clear: Annotated[bool, Option("first delete what was unpacked before")] = False

    def run(self) -> int:
        process.use_one_thread()
        from regis.cli import doctor
        from regis.index.storage import index_files
        from regis.render.tables import headed_paragraphs

        if self.clear and (folder := paths.cache_folder()) is not None:
            index_files.delete_unpacked_indexes(folder)
        report = doctor.examine_installation(self.index, show_progress)
        print_result(headed_paragraphs(report.rows, Screen.for_stream(sys.stdout)))
        return EXIT_FINE if report.can_solve else EXIT_FAILED
