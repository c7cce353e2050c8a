"""The code speaks the field's language: names say the thing or the act, and docstrings stand alone.

`python tests/test_language.py` prints everything that is found, room by room.
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "regis"
GLOSSARY = ROOT / "docs" / "glossary.md"

MIN_MULTI_WORD_SHARE = 0.35
"""Of the public identifiers, each counted once: libraries of the field that read well have a third to a half."""

MIN_GLOSSARY_TERMS = 60


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


IRREGULAR_PARTICIPLES = words(
    "been begun bent born bought bound broken brought built caught chosen clung dealt done drawn driven eaten "
    "fallen fed felt forgotten fought found frozen given gone ground grown heard held hidden hurt kept known laid lain "
    "led lent lost made meant met overridden paid proven risen rung said seen sent shaken shorn shown shrunk "
    "sold sought spent spilt spoken spoilt spun stood struck sung sunk sworn swept swum swung taken "
    "taught thought thrown told torn undone understood unknown unread unseen unsent withheld won worn wound woven "
    "written"
)
NOT_PARTICIPLES = {
    "bed": "a noun", "deed": "a noun", "embed": "a verb: to make vectors", "exceed": "a verb", "feed": "a verb",
    "need": "a verb and a noun", "proceed": "a verb", "red": "a colour",
    "seed": "a noun: where a random generator begins", "speed": "a noun", "unembed": "a verb", "weed": "a noun",
}  # fmt: skip
"""Words that end as regular participles do and are none, each with what it is."""

PRESENT_PARTICIPLES = words(
    "answering asking begging beginning being believing carrying choosing coming doing drawing dying easing "
    "ending facing falling filling finding fitting forging getting giving going having hearing hiding holding judging "
    "keeping knowing learning leaving lying listing living looking losing making meaning missing moving naming noting "
    "opening passing playing putting running saying searching seeing sending settling showing sitting speaking "
    "standing taking telling thinking throwing turning using waiting walking weighing working writing"
)
PRONOUNS = words(
    "anybody anyone anything each either everybody everyone everything her hers herself him himself his it its itself "
    "me mine myself neither nobody none nothing oneself other others ours ourselves she somebody someone something "
    "such that their theirs them themselves these they this those us we what whatever which whichever who whoever whom "
    "whose you your yours"
)
PREPOSITIONS = words(
    "about above across after against along alongside amid among amongst around aside at atop before behind below "
    "beneath beside besides between beyond by despite down during except for from in inside into like near of off on "
    "onto out outside over past per since than through throughout till to together toward towards under underneath "
    "unlike until unto up upon via with within without"
)
QUANTIFIERS = words(
    "all alone another any both couple enough every few fewer fewest half least less little lots lot many more most "
    "much nearly one ones only plenty rest several some twice whole"
)

WORDS_OF_THE_FIELD = {
    "across": "a direction of a crossword",
    "down": "a direction of a crossword",
    "given": "of letters: those that stand in the grid before solving, a term of puzzles",
    "missing": "of probability: that the answer is in no list, a term of candidate lists",
    "unlisted": "of answers: those in no list, as 'out of vocabulary'",
    "opening": "the act of opening an index; the name of what it is",
    "drawing": "a picture of a grid; a noun",
    "filling": "a noun: the letters of a grid",
    "meaning": "a finder, by what a clue means; a noun",
    "beginning": "a noun",
    "ending": "of words: -s, -ed, -ing; a noun of grammar",
}
"""Words of the lists above that a crossword solver or an engineer of the field would search for by just that word."""

BY_TYPE = {("solved", "SolvedPuzzle"): "decided for all rooms, beside `fill` for a Fill and `inputs` for a SolverInput"}
"""Names of parameters and fields of one type, each with the reason."""

BY_NAME = {
    "regis.cli.output.tqdm_bar:TqdmBar.format_meter.elapsed": "the name that tqdm gives it",
    "regis.corpora.catalogue:Corpus.untried": "a key of data/sources.toml",
    "regis.index.storage.manifest:LayerRecord.changed": "a key of manifest.json",
    "regis.index.storage.manifest:Manifest.added": "a key of manifest.json",
    "regis.index.storage.manifest:Manifest.begun": "a key of manifest.json",
    "regis.index.storage.manifest:Manifest.created": "a key of manifest.json",
    "regis.index.storage.manifest:SourceRecord.kept": "a key of manifest.json",
    "regis.index.storage.manifest:SourceRecord.rejected": "a key of manifest.json",
    "regis.puzzle.grid:Puzzle.shaded": "beside `circles`, as puzzle files and the JSON have it",
}
"""Names that stay, `module:Class.name` or `module:function.parameter`, each with the reason."""

ALONE_NEVER = frozenset({"MOST", "LEAST", "FEW", "FEWER", "TOGETHER", "LONGEST", "SHORTEST", "NEARLY", "ENOUGH"})

SOCKET_VERBS = words(
    "apply detect encode fill find propose read render run score solve write from_json to_json open close"
)
"""Verbs of a socket: each member of a table has one, and what it is given may differ with what it is."""

OPENINGS = ("The same", "What", "Whether", "How", "By what")

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class PublicName(NamedTuple):
    """A public name where it is defined."""

    module: str
    line: int
    kind: str  # "function", "method", "class", "parameter", "field", "member" of an enumeration, or "constant"
    owner: str  # the class or function that it belongs to, with dots; '' at the top of a module
    name: str
    annotation: str = ""  # the type, as it is written

    @property
    def key(self) -> str:
        return f"{self.module}:{f'{self.owner}.' if self.owner else ''}{self.name}"


class Finding(NamedTuple):
    """One sentence about one line."""

    module: str
    line: int
    sentence: str

    def __str__(self) -> str:
        path = MODULES[self.module].relative_to(ROOT).as_posix()
        return f"{path}:{self.line} {self.sentence}"


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def parse_module(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def find_room(module: str) -> str:
    """Return the folder that a module lies in, as the map of CONTRIBUTING.md has it."""
    return module if MODULES[module].name == "__init__.py" else module.rpartition(".")[0]


def is_public(name: str) -> bool:
    return not name.startswith("_")


def list_targets(node: ast.stmt) -> Iterator[ast.Name]:
    """Yield the names that one assignment defines."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    yield from (name for target in targets for name in ast.walk(target) if isinstance(name, ast.Name))


def written_type(node: ast.AST) -> str:
    """Return the annotation of a parameter or assignment, "" without one."""
    annotation = getattr(node, "annotation", None)
    return ast.unparse(annotation) if annotation else ""


def list_parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.arg]:
    """Return the parameters of a function, without self and cls."""
    called = function.args
    loose = [one for one in (called.vararg, called.kwarg) if one]
    parameters = [*called.posonlyargs, *called.args, *called.kwonlyargs, *loose]
    return [one for one in parameters if one.arg not in ("self", "cls")]


def public_names(module: str) -> Iterator[PublicName]:
    """Yield every public name that a module defines; what a function or a private class holds is private."""

    def of_function(function: ast.FunctionDef | ast.AsyncFunctionDef, owner: str) -> Iterator[PublicName]:
        is_init = function.name == "__init__"
        if is_public(function.name) or is_init:
            inside = owner if is_init else f"{owner}.{function.name}".strip(".")
            if not is_init:
                yield PublicName(module, function.lineno, "method" if owner else "function", owner, function.name)
            for one in list_parameters(function):
                if is_public(one.arg):
                    yield PublicName(module, one.lineno, "parameter", inside, one.arg, written_type(one))

    def of_class(node: ast.ClassDef, owner: str) -> Iterator[PublicName]:
        yield PublicName(module, node.lineno, "class", owner, node.name)
        inside = f"{owner}.{node.name}".strip(".")
        field = "member" if any(ast.unparse(base).endswith("Enum") for base in node.bases) else "field"
        seen: set[str] = set()
        for one in node.body:
            if isinstance(one, FUNCTIONS):
                yield from of_function(one, inside)
            elif isinstance(one, ast.ClassDef) and is_public(one.name):
                yield from of_class(one, inside)
            for name in list_targets(one):
                seen.add(name.id)
                if is_public(name.id):
                    yield PublicName(module, name.lineno, field, inside, name.id, written_type(one))
        for one in ast.walk(node):
            if (
                isinstance(one, ast.Attribute)
                and isinstance(one.ctx, ast.Store)
                and isinstance(one.value, ast.Name)
                and one.value.id == "self"
                and one.attr not in seen
            ):
                seen.add(one.attr)
                if is_public(one.attr):
                    yield PublicName(module, one.lineno, "field", inside, one.attr)

    for node in parse_module(module).body:
        if isinstance(node, FUNCTIONS):
            yield from of_function(node, "")
        elif isinstance(node, ast.ClassDef) and is_public(node.name):
            yield from of_class(node, "")
        for name in list_targets(node):
            if is_public(name.id):
                yield PublicName(module, name.lineno, "constant", "", name.id)


def count_words(name: str) -> int:
    """Count the words of a name, which underscores or capitals part."""
    return len([word for word in re.split(r"_+|(?<=[a-z0-9])(?=[A-Z])", name.strip("_")) if word])


def classify_word(word: str) -> str:
    """Return the kind of word that may be no name, "" for every other."""
    if word in WORDS_OF_THE_FIELD:
        return ""
    if word in IRREGULAR_PARTICIPLES or word in PRESENT_PARTICIPLES:
        return "participle"
    if re.fullmatch(r"[a-z]+ed", word) and word not in NOT_PARTICIPLES:
        return "participle"
    for kind, words in (("pronoun", PRONOUNS), ("preposition", PREPOSITIONS), ("quantifier", QUANTIFIERS)):
        if word in words:
            return kind
    return ""


def is_excepted(found: PublicName) -> bool:
    """Return whether a name may be any word: an option, which people type as it is, or a state, which has no noun."""
    is_option = found.module.startswith(("regis.cli.commands", "regis.cli.solving.options")) and found.kind == "field"
    return is_option or found.kind == "member" or (found.name, found.annotation) in BY_TYPE or found.key in BY_NAME


def find_bare_words() -> Iterator[Finding]:
    for module in MODULES:
        for found in public_names(module):
            kind = classify_word(found.name.lower()) if count_words(found.name) == 1 else ""
            if kind and not is_excepted(found):
                where = f" of {found.owner}" if found.owner else ""
                yield Finding(module, found.line, f"{found.kind} `{found.name}`{where} is a bare {kind}")


def find_bare_constants() -> Iterator[Finding]:
    for module in MODULES:
        for node in parse_module(module).body:
            for name in list_targets(node):
                if name.id.strip("_") in ALONE_NEVER:
                    yield Finding(module, name.lineno, f"constant `{name.id}` does not name what it counts")


def find_tuple_constants() -> Iterator[Finding]:
    for module in MODULES:
        for node in parse_module(module).body:
            if isinstance(node, ast.Assign) and any(isinstance(x, ast.Tuple | ast.List) for x in node.targets):
                names = ", ".join(name.id for name in list_targets(node))
                yield Finding(module, node.lineno, f"{names} are assigned by one tuple")


def find_second_meanings() -> Iterator[Finding]:
    """Yield definitions whose name has another signature in the same room."""
    definitions: dict[tuple[str, str], list[tuple[str, str, int]]] = defaultdict(list)
    for module in MODULES:
        top = [("", node) for node in parse_module(module).body]
        inside = [(node.name, one) for _, node in top if isinstance(node, ast.ClassDef) for one in node.body]
        for owner, node in (*top, *inside):
            if not isinstance(node, (*FUNCTIONS, ast.ClassDef)) or not is_public(node.name) or owner.startswith("_"):
                continue
            if any(ast.unparse(one).endswith((".setter", "overload")) for one in node.decorator_list):
                continue
            signature = "class"
            if isinstance(node, FUNCTIONS):
                signature = f"({', '.join(one.arg for one in list_parameters(node))})"
            if node.name not in SOCKET_VERBS:
                definitions[find_room(module), node.name].append((signature, module, node.lineno))
    for (_, name), found in sorted(definitions.items()):
        if len({signature for signature, *_ in found}) > 1:
            for signature, module, line in found:
                others = sorted({f"{name}{other}" for other, *_ in found if other != signature})
                yield Finding(module, line, f"`{name}{signature}` is also {' and '.join(others)} in this room")


def find_weak_docstrings() -> Iterator[Finding]:
    for module in MODULES:
        for node in ast.walk(parse_module(module)):
            text = (ast.get_docstring(node) or "") if isinstance(node, FUNCTIONS) else ""
            if re.match(rf"({'|'.join(OPENINGS)})\b", text):
                yield Finding(module, node.lineno, f"{node.name}: {text.splitlines()[0][:70]!r}")


CHECKS: dict[str, Callable[[], Iterator[Finding]]] = {
    "names that are a bare participle, pronoun, preposition or quantifier": find_bare_words,
    "constants without their noun": find_bare_constants,
    "constants assigned by a tuple": find_tuple_constants,
    "one name, two signatures in one room": find_second_meanings,
    f"docstrings that begin with {', '.join(OPENINGS)}": find_weak_docstrings,
}


@pytest.mark.parametrize("check", CHECKS)
def test_language(check: str) -> None:
    findings = [str(finding) for finding in CHECKS[check]()]
    assert not findings, "\n".join([check, *findings])


def multi_word_share(names: set[str]) -> float:
    return sum(count_words(name) > 1 for name in names) / max(len(names), 1)


def test_public_identifiers_have_their_noun() -> None:
    names = {found.name for module in MODULES for found in public_names(module)}
    share = multi_word_share(names)
    assert share >= MIN_MULTI_WORD_SHARE, f"{share:.1%} of {len(names)} public identifiers have more than one word"


@pytest.mark.parametrize(
    ("word", "kind"),
    [("known", "participle"), ("judged", "participle"), ("seed", ""), ("theirs", "pronoun"), ("among", "preposition"),
     ("every", "quantifier"), ("grid", ""), ("across", ""), ("knowing", "participle"), ("ranking", "")],
)  # fmt: skip
def test_words_are_told_apart(word: str, kind: str) -> None:
    assert classify_word(word) == kind


def test_names_that_stay_are_there() -> None:
    """An exception for a name that was changed would hold for ever."""
    keys = {found.key for module in MODULES for found in public_names(module)}
    assert not sorted(BY_NAME.keys() - keys)


@cache
def names_defined_in(module: str) -> frozenset[str]:
    """Return every name that a module defines, private ones, parameters and keys of tables included."""
    names = set(module.split("."))
    for node in ast.walk(parse_module(module)):
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.attr)
        elif isinstance(node, ast.Dict):
            names |= {str(key.value) for key in node.keys if isinstance(key, ast.Constant)}
    return frozenset(names)


@cache
def defined_names() -> frozenset[str]:
    """Return every name that regis/ defines."""
    return frozenset().union(*map(names_defined_in, MODULES))


def glossary_code() -> list[str]:
    """Return what stands in backquotes in the glossary."""
    return re.findall(r"`([^`\n]+)`", GLOSSARY.read_text(encoding="utf-8"))


@pytest.mark.parametrize("term", sorted(set(glossary_code())) if GLOSSARY.is_file() else [])
def test_terms_of_the_glossary_are_in_the_code(term: str) -> None:
    if "/" in term or term.endswith((".py", ".json", ".md")):
        assert (PACKAGE / term).exists() or (ROOT / term).exists() or term in ("manifest.json", "learned.json"), term
    else:
        assert all(part in defined_names() for part in term.removesuffix("()").split(".")), term


def test_terms_of_the_glossary_are_where_it_says() -> None:
    text = GLOSSARY.read_text(encoding="utf-8")
    places = re.findall(r"`(\w+)`\s+in\s+`(regis/[\w/]+\.py)`", text)
    assert len(places) > 30
    assert not [place for place in places if place[0] not in names_defined_in(module_name(ROOT / place[1]))]


def test_the_glossary_has_every_term_once() -> None:
    terms = re.findall(r"^\*\*(.+?)\*\*", GLOSSARY.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(terms) >= MIN_GLOSSARY_TERMS and len({term.lower() for term in terms}) == len(terms)


def print_findings() -> None:
    """Print everything that is found, room by room."""
    rooms: dict[str, list[str]] = defaultdict(list)
    for title, check in CHECKS.items():
        for finding in check():
            rooms[find_room(finding.module)].append(f"  [{title[:28]}] {finding}")
    every: set[str] = set()
    for room in sorted({find_room(module) for module in MODULES}):
        names = {x.name for module in MODULES if find_room(module) == room for x in public_names(module)}
        every |= names
        print(
            f"{room}: {len(rooms[room])} findings; {len(names)} public names, {multi_word_share(names):.0%} multi-word"
        )
        print(*rooms[room], sep="\n", end="\n" if rooms[room] else "")
    print(
        f"all: {sum(map(len, rooms.values()))} findings; {len(every)} names, {multi_word_share(every):.1%} multi-word"
    )


if __name__ == "__main__":
    sys.exit(print_findings())
