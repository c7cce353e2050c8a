"""`regis distil`: an index small enough to ship."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from regis.cli.grammar.command import Command, Option
from regis.cli.grammar.options import ClusterAddress, JobCount, choose_workers, own_index_folder, own_index_option
from regis.cli.output.printing import print_index
from regis.cli.output.progress_bar import show_progress
from regis.system import threads


class Distil(Command):
    help = "Makes an index small enough to ship: what was learned from clues, without the clues."
    interrupted_message = "nothing was written, an older distilled index is as it was"
    examples = """examples:
  regis distil --index index-2013 --out starter

Takes ten minutes for a million clues, since the encoder learns once more, without the newest year, to find out how far
it can be trusted alone. --jobs or --cluster shares out the clues that this is measured with. What you added to an older
one at --out is kept. The starter that ships with Regis was made in this way.
"""

    index: Annotated[Path | None, own_index_option("the index to distil")] = None
    out: Annotated[Path, Option("where to put it", "DIR")]
    jobs: JobCount = 1
    cluster: ClusterAddress = None

    def run(self) -> int:
        threads.use_one_thread()
        from regis.building.distil import distil

        folder, workers = own_index_folder(self.index), choose_workers(self.jobs, self.cluster)
        distil(folder, self.out, workers=workers, progress=show_progress)
        return print_index(self.out)
