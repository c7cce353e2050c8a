"""Pages from the files in `templates`: HTML, SVG and CSS, put together by Jinja2 into one text that loads nothing.

Whatever a template shows is escaped, without being asked to. Jinja2 is imported when the first page is made.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regis.system.terminal import plain_text

if TYPE_CHECKING:
    from jinja2 import Environment


def fill_template(template_name: str, **values: Any) -> str:
    """Fill the template of this name with `values`; one that it lacks is an error."""
    return _load_templates().get_template(template_name).render(values)


@functools.cache
def _load_templates() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        undefined=StrictUndefined, autoescape=True,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    environment.filters |= {"plain": plain_text, "percent": "{:.0%}".format}
    return environment
