"""`regis.text`: what is repaired, what stays, and what counts as the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regis import text


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("Oslo!", "OSLO"), ("oslo", "OSLO"), ("Café au lait", "CAFEAULAIT"), ("Cafe\u0301", "CAFE"),
        ("Straße", "STRASSE"), ("GROẞ", "GROSS"), ("Łódź", "LODZ"), ("Hawaiʻi", "HAWAII"),
        ("rock ’n’ roll", "ROCKNROLL"), ("A&M", "AM"), ("THE7", ""), ("M²", ""), ("½", ""), ("Ελλάς", ""), ("٣", ""),
        ("---", ""), ("", ""),
    ],
)  # fmt: skip
def test_answer_keeps_what_can_stand_in_a_grid(raw: str, expected: str) -> None:
    assert text.normalize_answer(raw) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("B. &amp; O.", "B. & O."),
        ("n&#233;e", "née"),
        ("n&#xe9;e", "née"),
        ("Stop &mdash; now", "Stop — now"),
        ("&amp;quot;Hi&amp;quot;", '"Hi"'),  # escaped twice
        ("It&amp;#39;s AT&amp;amp;T", "It's AT&T"),
        ("cafÃ©", "café"),  # UTF-8 read as Latin-1
        ("donâ€™t", "don’t"),  # UTF-8 read as cp1252
        ("â€œHiâ€\x9d", "“Hi”"),  # with one of the bytes that cp1252 lacks
        ("â€œHiâ€ (â€œHo!â€)", "“Hi” (“Ho!”)"),  # and without it
        (r"Oscar\'s \"No\"", 'Oscar\'s "No"'),  # quotation marks that a program escaped
        ("Ã\x89ric – à la", "Éric – à la"),  # only one word of it
        ("n&#195;&#169;e", "née"),  # both problems
        ("Ã la mode", "à la mode"),  # the second byte, a no-break space, became a plain one
        ("vis Ã vis", "vis à vis"),
        ("ÒIÕm OÕHara,Ó saidÉ", "“I’m O’Hara,” said…"),  # Mac Roman read as cp1252
        ("«\u00a0Café\u00a0»", "« Café »"),  # would be one Chinese character
        ("\x93Hi\x94", "“Hi”"),  # cp1252 read as Latin-1
        ("d\x8ej\x8e", "déjé"),
        ("e\u0301", "é"),
        ("<i>Hamlet</i> role", '"Hamlet" role'),
        ("By <EM class=x>Émile </EM>or <cite>2001,</cite> say", 'By "Émile" or "2001", say'),
        ("&lt;i&gt;Hamlet&lt;/i&gt;&#39;s friend", '"Hamlet"\'s friend'),
        ("<i>Prince of Denmark</i>", "Prince of Denmark"),  # the typeface of a whole clue says nothing about a title
        ("*<i>Prince of Denmark</i>.", "*Prince of Denmark."),
        ('"Is that <i>Hamlet</i>?"', '"Is that Hamlet?"'),
        ("What one does <i>not</i> do", "What one does not do"),
        ("<i>Hamlet role", "Hamlet role"),
        ("Role in <i>Hamlet", "Role in Hamlet"),
        ("Role</i> in Hamlet", "Role in Hamlet"),
        ("One<br>two", "One two"),
        ("<ul><li>One</li><li>two</li></ul>", "One two"),
        ('<small>Small</small> <CODE>talk</CODE> <img src="a.png" alt="x"/><!-- me -->', "Small talk"),
        ('<font color = red>a</font > <br / ><SPAN\nclass="x">b</span>', "a b"),
        ("co\u00adop\u200bs", "coops"),
        ("tab\tNUL\0line\u2028end", "tab NUL line end"),
        ("  a   b ", "a b"),
    ],
)
def test_clue_is_as_its_author_saw_it(raw: str, expected: str) -> None:
    assert text.clean_clue(raw) == expected


@pytest.mark.parametrize(
    "clue",
    ["R&D at AT&T", "R&notit", r"\\ /", "Édith at a CAFÉ Õ Ò", "Muvrarášša", "An <img> and a <table> are tags",
     "<Big Brother>, <Ol' Man River> or <A Day>", "5 < 6 <-> 7", "¿Cómo ___?", "Île «là»", "&#" + "9" * 5000 + ";"],
)  # fmt: skip
def test_what_only_looks_damaged_stays(clue: str) -> None:
    """An entity has its semicolon, and some words are spelled like damage."""
    assert text.clean_clue(clue) == clue


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('"___ Beta Kappa"', "_____ beta kappa"), ("--- Beta Kappa", "_ Beta Kappa"), ("U.S.S.R. part", "USSR part"),
        ("Don’t go", "Dont go"), ("Q & A", "Q&A"), ("Résumé", "RESUME"), ("Wait ... what?", "Wait...what"),
        ("Wait…what", "Wait what"),
    ],
)  # fmt: skip
def test_clue_key_is_what_both_would_type(one: str, other: str) -> None:
    assert text.clue_key(one) == text.clue_key(other)


@pytest.mark.parametrize(
    ("clue", "key"),
    [
        ('"___ Beta Kappa"', "_ beta kappa"), ("Mother-in-law", "mother in law"), ("Not B, A", "not b a"),
        ("#1 hit", "1 hit"), ("Ends of the earth?", "ends of the earth"), ("Ελλάς", "ελλας"), ("!", ""),
    ],
)  # fmt: skip
def test_clue_key(clue: str, key: str) -> None:
    assert text.clue_key(clue) == key


def test_keys_stems_lengths_and_bytes_from_before_utf8() -> None:
    assert text.clue_key("___ Gay") != text.clue_key("Gay") and text.clue_key("1 and 1") != text.clue_key("11")
    assert text.reverse_key("city in norway") == "norway in city" and text.reverse_key("") == ""
    assert text.stem_word("partners") == text.stem_word("partner") != text.stem_word("garden")
    lengths = (1, 2, text.MAX_ANSWER_LENGTH, text.MAX_ANSWER_LENGTH + 1)
    assert [text.fits_grid("A" * length) for length in lengths] == [False, True, True, False]
    assert text.decode_cp1252(b"\x93na\xefve\x94 caf\x8e\x81") == "“naïve” café"
    assert text.clean_clue("O\ufb03ce \ufb01sh \ufb06op") == "Office fish stop"


@given(st.text())
def test_laws_of_answer(raw: str) -> None:
    found = text.normalize_answer(raw)
    assert not found or (found.isascii() and found.isalpha() and found.isupper())
    assert text.normalize_answer(found) == found
    assert text.normalize_answer(f"'{raw}' ") == found


@given(st.text())
def test_laws_of_clue(raw: str) -> None:
    found = text.clean_clue(raw)
    assert found.isprintable() or not found
    assert "  " not in found and found == found.strip()


@given(st.text(st.characters(max_codepoint=0x2FF)))
def test_laws_of_clue_key(raw: str) -> None:
    key = text.clue_key(raw)
    assert key == " ".join(key.split())
    assert text.clue_key(key) == key


@given(st.text(st.characters(min_codepoint=0xC0, max_codepoint=0x17F, categories=["L"]), min_size=1, max_size=8))
def test_mojibake_of_any_latin_word_is_mended(word: str) -> None:
    assert text.clean_clue(word.encode("utf-8").decode("latin-1")) == word
