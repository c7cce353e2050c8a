"""`regis learn`: what clues mean, for an index that was built."""

from __future__ import annotations

from typing import Annotated

from regis.cli.command import (
    ClusterAddress,
    Command,
    JobCount,
    Option,
    OwnIndexFolder,
    choose_workers,
    own_index_folder,
)
from regis.cli.printing import COMMON_EXIT_CODES_HELP, print_index, print_note, print_result
from regis.cli.progress import show_progress
from regis.errors import UsageError


class Learn(Command):
    help = "Teach an index what clues mean, so that it can answer new ones."
    interrupted_message = (
        "the index is unchanged, unless this was just finished; long lessons resume with the same command"
    )
    examples = """examples:
  regis learn
  regis learn --index index-2013 --epochs 3
  regis learn --transformer
  regis learn --reader

Takes a few minutes on two cores for a million clues. The index grows by at least 68 MB. Ctrl-C leaves it unchanged. Run
it again after each `regis build`. An index built on the starter continues from there in half the time, if it has clues
from a year that the starter doesn't know.

At the end, it says how much likelier this makes the clues of the newest year, which are hidden first. If they're no
likelier, nothing is kept. --jobs or --cluster shares the clues for that measurement.

--transformer also trains a small sentence transformer, for an hour or two. After an interruption, the same command
picks up where it left off. In an index built on the starter, it continues from the starter's, mostly on new clues. At
the end, it reads every clue, which is shared as well.

--reader trains only what reads a clue and an answer together, for squares in doubt. It takes hours and resumes in the
same way. The index must have learned before; the rest of it doesn't change.

Both need the extra transformer-learning and say how to install it. Solving doesn't need it.
"""

    exit_codes_help = COMMON_EXIT_CODES_HELP.replace("success", "success, even if nothing better was learned")
    index: OwnIndexFolder = None
    transformer: Annotated[bool, Option("also train the transformer")] = False
    reader: Annotated[bool, Option("train only the reader")] = False
    epochs: Annotated[
        int | None,
        Option("how often to see each clue (default: 4; 2 on top of the starter and for the transformer)", "N"),
    ] = None
    lessons: Annotated[int | None, Option("how many clues to train the reader on (default: 400000)", "N")] = None
    jobs: JobCount = 1
    cluster: ClusterAddress = None

    def run(self) -> int:
        """Teach the index; the number of epochs is for the transformer where it is taught."""
        from regis.building.settings import ENCODERS, READER
        from regis.building.training.train import learn_cross_encoder, learn_encoder

        folder, workers = own_index_folder(self.index), choose_workers(self.jobs, self.cluster)
        if self.reader and (self.transformer or self.epochs or self.jobs > 1 or self.cluster):
            raise UsageError("--reader can't be combined with --transformer, --epochs, --jobs, or --cluster")
        if self.lessons and not self.reader:
            raise UsageError("--lessons needs --reader")
        if self.reader:
            learn_cross_encoder(folder, clue_count=self.lessons or READER.training_clues, progress=show_progress)
            return print_index(folder)
        if self.transformer:
            epochs, transformer_epochs = None, self.epochs or ENCODERS.transformer_epochs
        else:
            epochs, transformer_epochs = self.epochs, None
        done = learn_encoder(
            folder, epochs=epochs, transformer_epochs=transformer_epochs, workers=workers, progress=show_progress
        )
        if done.loss_before is not None and done.loss_after is not None:
            print_result(
                f"clues of {done.hidden_year}, hidden: log loss {done.loss_before:.3f} before, {done.loss_after:.3f} "
                f"with what was learned: {'better, kept' if done.is_kept else 'not clearly better, left out'}\n"
            )
        if not done.is_kept:
            why = f"what was learned isn't better by {ENCODERS.min_gain} than what the index knew"
            if done.loss_after is None:
                why = f"there are too few clues of {done.hidden_year} to measure whether it's better"
            print_note(f"note: {why}; the index is unchanged")
        return print_index(folder)
