"""Confidence compared with the results."""

import pytest

from regis.evaluation import calibration, report
from regis.evaluation.calibration import Claim, TrustedClaims


def claims(said: float, right: int, wrong: int) -> list[Claim]:
    return [Claim(said, True)] * right + [Claim(said, False)] * wrong


@pytest.mark.parametrize(
    ("said", "low"),
    [(0.0, 0.0), (0.4999, 0.0), (0.5, 0.5), (0.8, 0.8), (0.95, 0.95), (0.99, 0.99), (0.9989, 0.99), (0.999, 0.999),
     (1.0, 0.999), (1.0000001, 0.999)],
)  # fmt: skip
def test_a_bin_holds_its_lower_bound(said, low):
    assert [b.low_confidence for b in calibration.bin_claims([Claim(said, True)]) if b.claim_count] == [low]


def test_bins_have_what_was_said_and_what_was_right():
    found = {
        b.low_confidence: b for b in calibration.bin_claims(claims(0.6, 1, 1) + claims(0.7, 2, 0) + claims(1.0, 9, 1))
    }
    assert len(found) == 7 and found[0.5].claim_count == 4
    assert (found[0.5].mean_confidence, found[0.5].right_share) == (pytest.approx(0.65), 0.75)
    assert (found[0.999].mean_confidence, found[0.999].right_share) == (1.0, 0.9)
    assert (found[0.0].claim_count, found[0.0].mean_confidence, found[0.0].right_share) == (0, None, None)


def test_calibration_error_weighs_the_bins():
    assert calibration.calibration_error(claims(0.75, 3, 1)) == 0
    assert calibration.calibration_error(claims(0.75, 3, 1) + claims(1.0, 9, 3)) == pytest.approx(0.25 * 12 / 16)
    assert calibration.calibration_error([]) == 0


def test_trusted_is_the_largest_share_that_keeps_the_promise():
    sure = claims(0.999, 99, 1)
    assert calibration.find_trusted_claims(sure) == TrustedClaims(1.0, 0.999)
    assert calibration.find_trusted_claims(sure + claims(0.5, 99, 1)) == TrustedClaims(1.0, 0.5)
    assert calibration.find_trusted_claims(sure + claims(0.5, 98, 2)) == TrustedClaims(0.5, 0.999)
    assert calibration.find_trusted_claims(claims(0.9, 9, 1)) == TrustedClaims(0.0, None)
    assert calibration.find_trusted_claims([]) == TrustedClaims(0.0, None)


def test_equals_are_trusted_together_in_any_order():
    """Equally sure claims can't be told apart, so a right one can't come before a wrong one."""
    mixed = claims(0.9, 50, 50)
    assert (
        calibration.find_trusted_claims(mixed)
        == calibration.find_trusted_claims(mixed[::-1])
        == TrustedClaims(0.0, None)
    )


def test_a_dip_is_bridged_by_what_follows():
    dip = claims(0.99, 0, 1) + claims(0.9, 199, 0)
    assert calibration.find_trusted_claims(dip) == TrustedClaims(1.0, 0.9)


def test_table_of_calibration():
    cells, entries = claims(0.85, 8, 2) + claims(1.0, 5, 0), claims(0.2, 0, 3)
    lines = report.calibration_table(cells, entries).splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in lines[1:]}
    assert list(rows) == ["0-50", "50-80", "80-90", "90-95", "95-99", "99-99.9", "99.9-100"]
    assert rows["80-90"] == ["10", "85.0", "80.0", "0"]
    assert rows["0-50"] == ["0", "3", "20.0", "0.0"]
    errors, trust = report.trust_sentences(cells, entries)
    assert errors.endswith("cells 3.3, entries 20.0.")
    assert trust == "33.3% of the letters can be trusted at 99% (those at least 100.00% sure)."
    assert report.trust_sentences(claims(0.5, 0, 1), [])[1] == "0.0% of the letters can be trusted at 99%."
