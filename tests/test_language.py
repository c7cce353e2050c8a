"""Names say the thing or the act, and every term of the glossary is in the code."""

import ast
import re
from collections.abc import Iterator
from functools import cache

from test_layers import MODULES, ROOT, parsed

GLOSSARY = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")
TERMS = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("\n## Terms\n")[1]
"""The code's own terms."""

BARE_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
begun broken brought built caught chosen done drawn driven forgotten fought found frozen gone grown heard held hidden
kept known lost made meant overridden paid said seen sent shown sought spoken taken thought thrown told torn understood
unknown unread unseen withheld written
asking being doing finding getting going having keeping knowing making saying taking telling using
anything each either everything her his it its neither nothing others something such that their theirs them these they
this those what whatever which who whom whose your
above after against along among around as at before behind below beside between beyond by during except for from in
inside into near of off on onto out outside over past since through to toward towards under until upon via with within
without
all another any both enough every few fewer least less many more most much only plenty several some whole
""",
    )
)
"""Participles, pronouns, prepositions, and quantifiers: alone, none of them says what it names."""

NOT_PARTICIPLES = re.findall(r"\w+", "bed deed embed exceed feed need proceed red seed speed unembed weed")

EXCEPTIONS = {
    "solved": "a SolvedPuzzle, beside `fill` for a Fill and `inputs` for a SolverInput",
    "unlisted": "of answers: those in no list, as 'out of vocabulary'",
    "shaded": "of squares: beside `circles`, as puzzle files and the JSON have it",
    "untried": "a key of data/sources.toml",
    **dict.fromkeys(("added", "begun", "changed", "created", "kept", "rejected"), "a key of manifest.json"),
}
"""Bare words that stay, each with the reason."""


def names(body: list[ast.stmt]) -> Iterator[tuple[int, str]]:
    """Yield the public names that a module or class defines, without members of enumerations."""
    for node in body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from ((x.lineno, x.id) for target in targets for x in ast.walk(target) if isinstance(x, ast.Name))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not re.match("_[^_]", node.name):
            yield node.lineno, node.name
            for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                yield one.lineno, one.arg
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node.lineno, node.name
            if not any(ast.unparse(base).endswith("Enum") for base in node.bases):
                yield from names(node.body)


def is_bare(name: str) -> bool:
    word = name.lower()
    is_one_word = name in (word, name.upper(), name.capitalize())
    is_participle = bool(re.fullmatch("[a-z]+ed", word)) and word not in NOT_PARTICIPLES
    return is_one_word and (is_participle or word in BARE_WORDS)


def test_names_say_what_they_name() -> None:
    """Options are exempt: people type them as they are."""
    free = ("regis.cli.commands", "regis.cli.solve_options")
    named = [
        (module, *name) for module in MODULES if not module.startswith(free) for name in names(parsed(module).body)
    ]
    bare = [found for found in named if is_bare(found[2])]
    assert not [found for found in bare if found[2] not in EXCEPTIONS]
    assert not EXCEPTIONS.keys() - {name for *_, name in bare}, "exceptions for names that are gone"


@cache
def defined_names(module: str) -> frozenset[str]:
    """Return all names that a module defines, with parameters and keys of tables."""
    found = set(module.split("."))
    for node in ast.walk(parsed(module)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.id if isinstance(node, ast.Name) else node.attr)
        elif isinstance(node, ast.Dict):
            found |= {str(key.value) for key in node.keys if isinstance(key, ast.Constant)}
    return frozenset(found)


def test_terms_are_in_the_code() -> None:
    everywhere = frozenset[str]().union(*map(defined_names, MODULES))
    named = re.findall(r"`(\w+)`", "".join(line.split("|")[1] for line in TERMS.splitlines() if line.startswith("|")))
    assert len(named) > 15 and not sorted(set(named) - everywhere)


def test_the_glossary_has_every_term_once() -> None:
    terms = [term.lower() for term in re.findall(r"^\*\*(.+?)\*\*", GLOSSARY, re.MULTILINE)]
    assert terms and len(set(terms)) == len(terms)
