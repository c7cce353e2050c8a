import datetime as dt
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regis.puzzle.formats import publication_date

DAY = dt.date(2014, 1, 6)
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


@given(st.dates(dt.date(1900, 1, 1), dt.date(2100, 12, 31)))
def test_a_date_written_out_is_read_back(day):
    month = MONTHS[day.month - 1]
    for written in (
        f"NY TIMES, MON, {month[:3].upper()} {day.day:02}, {day.year} A THEME",
        f"{month} {day.day}, {day.year}", f"{day.day} {month} {day.year}", f"Sun {month[:3]}. {day.day} {day.year}",
        day.isoformat(), f"{day.month}/{day.day}/{day.year}",
    ):  # fmt: skip
        assert publication_date.date_in_text(written) == day, written
    for name in (
        f"nyt{day.isoformat()}.puz", f"nyt{day:%Y%m%d}.puz", f"x/{day:%Y_%m_%d}.puz", f"a.zip/{day:%Y/%m/%d}.puz",
        f"{month[:3]}{day:%d%Y}.puz", f"wsj {day:%Y %m %d}", f"{day:%Y.%m.%d}", f"up{day:%m-%d-%Y}.PUZ",
    ):  # fmt: skip
        assert publication_date.date_in_name(name) == day, name


@given(st.text(), st.text(), st.text())
def test_any_text_is_a_date_in_range_or_none(title, notes, name):
    found = publication_date.find_date(title, notes, name)
    assert found is None or 1900 <= found.year <= 2100


@pytest.mark.parametrize(
    ("text", "day"),
    [
        *((text, DAY) for text in ("01/06/2014", "1/6/14", "1-6-14", "Jan 6, '14", "JAN 6, 14", "January 6th, 2014",
                                   "6th of January 2014")),
        ("25/12/2014", dt.date(2014, 12, 25)), ("25.12.2014", dt.date(2014, 12, 25)),  # no 25th month
        ("Sept. 3, 2014", dt.date(2014, 9, 3)), ("Feb 29, 2013, in fact Mar 1, 2013", dt.date(2013, 3, 1)),
        ("May 4, 41", dt.date(1941, 5, 4)), ("May 4, 40", dt.date(2040, 5, 4)),
        *((text, None) for text in ("", "July 4, 1776", "March Madness 2014", "2014", "Route 66", "2014-13-06",
                                    "13/13/2013", "May 12 21-Across", "3/4", "Across Lite 2.1.10", "1234567890",
                                    "Jan 32, 2014", "99999-01-01", "Jan 6, 20145", "maya 1, 2014", "²014-01-06")),
    ],
)  # fmt: skip
def test_dates_are_read_as_in_the_united_states(text, day):
    assert publication_date.date_in_text(text) == day


@pytest.mark.parametrize(
    ("day", "names"),
    [
        (DAY, ["Jan0614.puz", "jan06-14", "Jan_06_14.puz", "nyt140106.puz", "01062014.puz", "C:\\puz\\Jan0614.puz",
               "nyt_Jan062014.puz", "2014/1/6.puz", "no 3 (2014-01-06).puz"]),
        (None, ["", ".", "..", "060708.puz", "puzzle.puz", "2013-12-31/puzzle.puz", "jan0.puz"]),
    ],
)  # fmt: skip
def test_names_need_no_separators(day, names):
    assert [publication_date.date_in_name(name) for name in names] == [day] * len(names)


def test_text_without_end_takes_no_time():
    start = time.process_time()
    assert publication_date.find_date("", "-1" * 500_000, "") is None
    assert time.process_time() - start < 0.5
