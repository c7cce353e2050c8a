"""Pages from the files in `templates`: HTML, SVG and CSS, put together by Jinja2 into one text that loads nothing.

Whatever a template shows is escaped, without being asked to. Jinja2 is imported when the first page is made.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regis.system.terminal import plain

if TYPE_CHECKING:
    from jinja2 import Environment


def filled(name: str, **values: Any) -> str:
    """The template of this name with `values` in it; one that it lacks is an error."""
    return _templates().get_template(name).render(values)


@functools.cache
def _templates() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    found = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        undefined=StrictUndefined, autoescape=True,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    found.filters |= {"plain": plain, "percent": "{:.0%}".format}
    return found
