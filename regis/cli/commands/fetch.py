"""`regis fetch`: public corpora, listed and downloaded."""

from __future__ import annotations

import sys
from typing import Annotated

from regis.cli.grammar.command import Command, Option, Positional
from regis.cli.output.printing import EXIT_FINE, print_error, print_note, print_result
from regis.cli.output.progress_bar import show_progress
from regis.errors import FetchError, UsageError, unknown_name
from regis.system import paths
from regis.system.terminal import Screen


class Fetch(Command):
    help = "Lists public corpora, and downloads those you name."
    interrupted_message = "what came so far is kept, the same command goes on"
    examples = """examples:
  regis fetch
  regis fetch xd-clues wordnet
  regis fetch --again xd-clues

Without a NAME it lists the corpora, their licences, and which of them you have. After an interruption the same command
goes on. `regis build` then reads all that was fetched. Only this and `regis update` use the network.
"""

    names: Annotated[tuple[str, ...], Positional("the corpus to download; as many as you like", "NAME")] = ()
    again: Annotated[bool, Option("also download what is already there")] = False

    def run(self) -> int:
        """Download each; one that does not come does not stop the others."""
        from regis.corpora import catalogue
        from regis.corpora.download import fetch_corpus
        from regis.render.reports import sources

        known, screen = catalogue.read_catalogue(), Screen.for_stream(sys.stdout)
        for name in self.names:
            if name not in known:
                raise unknown_name("source", name, known)
        if self.again and not self.names:
            raise UsageError(f"--again does not say what to download; name it: {', '.join(known)}")
        if not self.names:
            print_result(sources.render_corpora(known.values(), paths.downloads_folder(), screen))
        code = EXIT_FINE
        for one in (known[name] for name in dict.fromkeys(self.names)):
            try:
                print_note(f"{one.name}: {sources.licence_line(one)}")
                done = fetch_corpus(one, paths.downloads_folder(), fetch_again=self.again, progress=show_progress)
                print_result(sources.render_download(one, done, screen))
            except FetchError as error:
                code = print_error(error)
        return code
