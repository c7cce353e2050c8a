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
    help = "Teaches an index what clues mean, so that it can answer new ones."
    interrupted_message = (
        "the index is as it was, unless all was done already; lessons that take hours go on where they stopped "
        "with the same command"
    )
    examples = """examples:
  regis learn
  regis learn --index index-2013 --epochs 3
  regis learn --transformer
  regis learn --reader

Takes some minutes on two cores for a million clues. The index grows by at least 68 MB, however small it was. Ctrl-C
leaves it as it was. After `regis build` an index must learn again. An index that began with the starter goes on from
there, in half the time, if it has clues of a year that the starter does not know.

In the end it says how much likelier this makes the clues of the newest year, which are hidden first. If they are no
likelier, nothing is kept. --jobs or --cluster shares out the clues that this is measured with.

--transformer also teaches a small sentence transformer. That takes an hour or two; after an interruption the same
command goes on where it stopped. In an index that began with the starter it goes on from the starter's, mostly on clues
that are new to it. In the end it reads every clue, which is shared out as well.

--reader teaches only what reads a clue and an answer together, to look again at squares that are in doubt. That takes
hours, and goes on in the same way. The index must have learned before; the rest of it stays as it is.

Both need the extra transformer-learning; without it, they say how to install it. Solving needs nothing more.
"""

    exit_codes_help = COMMON_EXIT_CODES_HELP.replace(
        "all went well", "all went well, also where nothing better was learned and nothing kept"
    )
    index: OwnIndexFolder = None
    transformer: Annotated[bool, Option("also teach the transformer")] = False
    reader: Annotated[bool, Option("teach the reader, and nothing else")] = False
    epochs: Annotated[
        int | None,
        Option("how often each clue is seen (default: 4; 2 on top of the starter, and for the transformer)", "N"),
    ] = None
    lessons: Annotated[int | None, Option("how many clues the reader learns on (default: 400000)", "N")] = None
    jobs: JobCount = 1
    cluster: ClusterAddress = None

    def run(self) -> int:
        """Teach the index; the number of epochs is for the transformer where it is taught."""
        from regis.building.training.cross_encoder_trainer import TRAINING_CLUES
        from regis.building.training.train import MIN_GAIN, TRANSFORMER_EPOCHS, learn_cross_encoder, learn_encoder

        folder, workers = own_index_folder(self.index), choose_workers(self.jobs, self.cluster)
        if self.reader and (self.transformer or self.epochs or self.jobs > 1 or self.cluster):
            raise UsageError("--reader is taught alone: leave out --transformer, --epochs, --jobs and --cluster")
        if self.lessons and not self.reader:
            raise UsageError("--lessons says on how many clues --reader learns; add --reader")
        if self.reader:
            learn_cross_encoder(folder, clue_count=self.lessons or TRAINING_CLUES, progress=show_progress)
            return print_index(folder)
        if self.transformer:
            epochs, transformer_epochs = None, self.epochs or TRANSFORMER_EPOCHS
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
            why = f"what was learned is not better by {MIN_GAIN} than what the index knew"
            if done.loss_after is None:
                why = f"there are too few clues of {done.hidden_year} to tell whether what they teach is better"
            print_note(f"note: {why}; it stays as it was")
        return print_index(folder)
