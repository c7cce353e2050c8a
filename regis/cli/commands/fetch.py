"""`regis fetch` and `update`: public corpora, listed and downloaded, and an index of today's clues."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from regis.cli.command import Command, Option, OwnIndexFolder, Positional
from regis.cli.printing import EXIT_FINE, print_error, print_note, print_result
from regis.cli.progress import show_progress
from regis.errors import FetchError, RegisError, UsageError, unknown_name
from regis.system import paths
from regis.system.terminal import Screen, plain_text

if TYPE_CHECKING:
    from regis.building.update import UpdateOutcome, UpdatePlan


class Fetch(Command):
    help = "List public corpora and download those you name."
    interrupted_message = "what was downloaded is kept; the same command resumes"
    examples = """examples:
  regis fetch
  regis fetch xd-clues wordnet
  regis fetch --again xd-clues

Without a NAME, it lists the corpora, their licenses, and which ones you have. After an interruption, the same command
resumes. `regis build` then reads everything you downloaded. Only `fetch` and `update` use the network.
"""

    names: Annotated[tuple[str, ...], Positional("a corpus to download", "NAME")] = ()
    again: Annotated[bool, Option("download even what you already have")] = False

    def run(self) -> int:
        """Download each corpus; one that fails doesn't stop the others."""
        from regis.corpora import catalogue
        from regis.corpora.download import fetch_corpus
        from regis.render import tables

        known, screen = catalogue.read_catalogue(), Screen.for_stream(sys.stdout)
        for name in self.names:
            if name not in known:
                raise unknown_name("source", name, known)
        if self.again and not self.names:
            raise UsageError(f"--again needs the name of what to download: {', '.join(known)}")
        if not self.names:
            print_result(tables.render_corpora(known.values(), paths.downloads_folder(), screen))
        code = EXIT_FINE
        for one in (known[name] for name in dict.fromkeys(self.names)):
            try:
                print_note(f"note: {one.name}: {tables.license_line(one)}")
                done = fetch_corpus(one, paths.downloads_folder(), fetch_again=self.again, progress=show_progress)
                print_result(tables.render_download(one, done, screen))
            except FetchError as error:
                code = print_error(error)
        return code


class Update(Command):
    help = "Download today's clues, build an index from them, and teach it."
    interrupted_message = (
        "the index in use is unchanged, unless this was just finished; the same command picks up where it left off"
    )
    examples = """examples:
  regis update
  regis update --index my-index

Downloads the public clue table (`xd-clues`) and whatever else you fetched that has changed since. Builds an index on
the starter and teaches it, as `regis build` and `regis learn` do. Only then does it replace your index; what you added
with `regis add` is kept. It first says what this will take and asks whether to continue (on a terminal).

After a lost connection, a full disk, Ctrl-C, or a power failure, your index is unchanged, and the same command picks up
where it left off. Your index also stays if the new one is no better: if it has older or fewer clues, or makes the clues
of the newest year, which are hidden first, less likely.
"""

    index: OwnIndexFolder = None

    def run(self) -> int:
        from regis.building import update

        folder, in_use = paths.own_index_folder(self.index), paths.index_folder(self.index)
        downloads = paths.downloads_folder()
        stays = f"{in_use} is unchanged" if paths.index_exists(in_use) else "no index was made"
        try:
            plan = update.plan_update(folder, downloads)
            print_note(_describe_plan(plan))
            if not (self.quiet or _may_go_on()):
                return print_note(f"nothing was done; {stays}")
            sources = update.fetch_sources(plan, downloads, show_progress)
            outcome = update.update_index(sources, folder, in_use, paths.starter_folder(), show_progress)
        except (RegisError, OSError, MemoryError) as error:
            return print_note(f"{stays}; the same command picks up from here", print_error(error))
        if outcome.fault:
            return print_note(f"{stays}: {outcome.fault}")
        return print_result("".join(f"{line}\n" for line in _describe_news(outcome, folder)))


def _describe_plan(plan: UpdatePlan) -> str:
    from regis.render.tables import format_size

    download = "an unknown size" if plan.download_bytes is None else format_size(plan.download_bytes)
    names = ", ".join(corpus.name for corpus in plan.corpora)
    fetched = f"{download} to download ({names})" if names else "nothing to download"
    minutes = math.ceil(plan.seconds / 60)
    return f"this takes up to {minutes} minutes, {format_size(plan.disk_bytes)} of disk while it works, {fetched}"


def _may_go_on() -> bool:
    """Ask on a terminal whether to go on; without one, nobody would answer."""
    if sys.stdin is None or not sys.stdin.isatty() or sys.stderr is None or not sys.stderr.isatty():
        return True
    print_note("continue? [Y/n]")
    return not sys.stdin.readline().strip().lower().startswith("n")


def _describe_news(outcome: UpdateOutcome, folder: Path) -> Iterator[str]:
    made, before = outcome.manifest, outcome.manifest_before
    yield f"from now on, Regis uses {plain_text(str(folder))}"
    numbers = [
        ("answers", made.answer_count, before and before.answer_count),
        ("clues", made.clue_use_count, before and before.clue_use_count),
    ]
    for what, number, number_before in numbers:
        yield f"{what}: {number:,}" + ("" if number_before is None else f", {number_before:,} before")
    newest_before = f", {before.latest_year} before" if before and before.latest_year else ""
    yield f"newest year: {made.latest_year or 'unknown'}{newest_before}"
    if outcome.loss_before is not None and outcome.loss_after is not None:
        times = math.exp(outcome.loss_before - outcome.loss_after)
        losses = f"log loss {outcome.loss_before:.3f} before, {outcome.loss_after:.3f} now"
        yield f"clues of {made.newest_year}, hidden: {times:.2f} times as likely ({losses})"
