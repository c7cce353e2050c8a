"""`regis learn`: what clues mean, for an index that was built."""

from __future__ import annotations

from typing import Annotated

from regis.cli.grammar.command import Command, Option
from regis.cli.grammar.options import ClusterAddress, JobCount, OwnIndexFolder, choose_workers, own_index_folder
from regis.cli.output.printing import print_index, print_note, print_result
from regis.cli.output.progress_bar import show_progress
from regis.errors import UsageError


class Learn(Command):
    help = "Teaches an index what clues mean (the clue encoders), and to read answers with them."
    interrupted_message = (
        "the index is as it was, unless all was done already; lessons that take hours go on where they stopped "
        "with the same command"
    )
    examples = """examples:
  regis learn
  regis learn --index index-2013 --epochs 3
  regis learn --transformer
  regis learn --reader

Some minutes on two cores for a million clues. The index grows by at least 68 MB, however small it was. Ctrl-C leaves
it as it was. An index that is built again has to learn again. --jobs or --cluster shares out the clues that are asked
to weigh what was learned. It tells how much likelier that makes the clues of the newest year, which are hidden first;
what is no better is not kept. An index that began with the starter goes on from there, in half the time, if it has
clues of a year that the starter does not know.

--transformer teaches a small sentence transformer too; that takes an hour or two, can be interrupted, and goes on where
it stopped with the same command. An index that began with the starter goes on from the starter's, mostly on clues that
are new to it. In the end it reads every clue, which is shared out, too.

--reader teaches what reads a clue and an answer together, which looks again at squares that are in doubt. That takes
hours, and goes on in the same way. The index must have learned before; all else of it stays as it is.

Both need the extra transformer-learning, and say how to install it. To solve with what was learned nothing more is
needed.
"""

    index: OwnIndexFolder = None
    transformer: Annotated[bool, Option("teach the transformer, too")] = False
    reader: Annotated[bool, Option("teach the reader, and nothing else")] = False
    epochs: Annotated[
        int | None,
        Option("how often each clue is seen (default: 4; 2 on top of the starter, and by the transformer)", "N"),
    ] = None
    lessons: Annotated[int | None, Option("how many clues the reader learns on (default: 400000)", "N")] = None
    jobs: JobCount = 1
    cluster: ClusterAddress = None

    def run(self) -> int:
        """Teach the index; the number of epochs is for the transformer where it is taught."""
        from regis.building.training.cross_encoder.trainer import TRAINING_CLUES
        from regis.building.training.train import TRANSFORMER_EPOCHS, learn_cross_encoder, learn_encoder

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
                "with what was learned\n"
            )
        if not done.is_kept:
            why = "what was learned is no better than what the index knew"
            if done.loss_after is None:
                why = (
                    f"of {done.hidden_year} there are too few clues to tell whether anything is better that they teach"
                )
            print_note(f"note: {why}; it stays as it was")
        return print_index(folder)
