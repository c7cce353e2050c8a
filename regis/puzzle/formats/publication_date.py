"""When a puzzle was published, from its title, notes, or file name.

Nearly all publishers write the date somewhere: 'NY TIMES, MON, JAN 06, 2014', nyt2014-01-06.puz, Jan0614.puz,
2014/01/06.puz. Two bare numbers are month and day, unless only the other order is a date. Six bare digits may begin or
end with the year; if both make a date, it isn't read.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator

FIRST_YEAR = 1900
LAST_YEAR = 2100
"""Years that count; the first crossword was printed in 1913."""


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (r"(?<![a-z])(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
          r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![a-z])")  # fmt: skip
_DAY = r"(?<!\d)(?P<day>\d{1,2})"
_YEAR = r"(?P<year>\d{4}|\d\d)(?!\d)"
_LONG_YEAR = r"(?P<year>\d{4})(?!\d)"
_GAP = r"[\s._-]"

_IN_TEXT = (
    rf"{_MONTH}\.?{_GAP}*{_DAY}(?:st|nd|rd|th)?,{_GAP}*'?{_YEAR}",
    rf"{_MONTH}\.?{_GAP}*{_DAY}(?:st|nd|rd|th)?{_GAP}+{_LONG_YEAR}",
    rf"{_DAY}(?:st|nd|rd|th)?{_GAP}*(?:of )?{_MONTH}\.?,?{_GAP}*{_LONG_YEAR}",
    r"(?<!\d)(?P<year>\d{4})(?P<gap>[-/._ ])(?P<month>\d{1,2})(?P=gap)(?P<day>\d{1,2})(?!\d)",
    rf"(?<!\d)(?P<month>\d{{1,2}})(?P<gap>[-/_])(?P<day>\d{{1,2}})(?P=gap){_YEAR}",
    rf"(?<!\d)(?P<day>\d{{1,2}})(?P<gap>[-/_.])(?P<month>\d{{1,2}})(?P=gap){_LONG_YEAR}",
)
_IN_NAME = (
    rf"{_MONTH}[-_. ]?(?P<day>\d\d)[-_. ]?{_YEAR}",
    r"(?<!\d)(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)(?!\d)",
    r"(?<!\d)(?P<month>\d\d)(?P<day>\d\d)(?P<year>\d{4})(?!\d)",
)
_IN_FOLDERS = r"(?:^|/)(?P<year>\d{4})/(?P<month>\d\d?)/(?P<day>\d\d?)$"
_SIX_DIGITS = re.compile(r"(?<!\d)(\d\d)(\d\d)(\d\d)(?!\d)")
_SUFFIX = re.compile(r"\.[a-z]\w*$", re.IGNORECASE)


def find_date(title: str, notes: str, file_name: str) -> dt.date | None:
    """Find the date in the title, else in the notes, else in the file's name."""
    return date_in_text(title) or date_in_text(notes) or date_in_name(file_name)


def date_in_text(text: str) -> dt.date | None:
    """Find the first date written out in `text`, or in its beginning if it is very long."""
    return next(_find_dates(text[:10_000], *_IN_TEXT), None)


def date_in_name(file_name: str) -> dt.date | None:
    """Find the date in a path's last part, maybe without separators, else in its folders: '2014/01/06.puz'."""
    path = _SUFFIX.sub("", file_name.replace("\\", "/"))
    last = path.rpartition("/")[2]
    return (
        date_in_text(last)
        or next(_find_dates(last, *_IN_NAME), None)
        or _date_of_six_digits(last)
        or next(_find_dates(path, _IN_FOLDERS), None)
    )


def _find_dates(text: str, *patterns: str) -> Iterator[dt.date]:
    for match in (match for pattern in patterns for match in re.finditer(pattern, text, re.IGNORECASE)):
        month = match["month"]
        number = int(month) if month.isdecimal() else _MONTHS.index(month[:3].casefold()) + 1
        if date := _make_date(match["year"], number, int(match["day"])):
            yield date


def _date_of_six_digits(name: str) -> dt.date | None:
    """Read six bare digits, year or month first, if only one of the two is a date."""
    for a, b, c in _SIX_DIGITS.findall(name):
        both = {date for date in (_make_date(a, int(b), int(c)), _make_date(c, int(a), int(b))) if date}
        if len(both) == 1:
            return both.pop()
    return None


def _make_date(year: str, month: int, day: int) -> dt.date | None:
    whole = int(year)
    if len(year) == 2:
        whole += 2000 if whole <= 40 else 1900  # '41' is 1941: archives reach back into the 1940s
    try:
        return dt.date(whole, month, day) if FIRST_YEAR <= whole <= LAST_YEAR else None
    except ValueError:
        return None
