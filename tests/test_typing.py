"""What a type checker and an editor know of the package: it ships its types, and no public name is without one."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import counterplay
from tests.processes import WATCHDOG_SECONDS

pytestmark = pytest.mark.long

pytest.importorskip("mypy", reason="needs mypy (pip install mypy)")

PARTS = ("analysis", "arena", "games", "native", "quiz", "search", "trees")


def mypy(file, cache):
    """What mypy says of a file, as strictly as it can."""
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", "", "--cache-dir", str(cache)]
    command += ["--follow-imports", "silent", str(file)]  # the errors of this file only
    done = subprocess.run(command, cwd=file.parent, capture_output=True, text=True, timeout=WATCHDOG_SECONDS)
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("mypy")


def test_the_package_says_that_it_is_typed():
    assert (Path(counterplay.__file__).parent / "py.typed").exists()


def test_a_user_s_script_is_typed(cache, tmp_path):
    file = tmp_path / "typed_user.py"
    file.write_text((Path(__file__).parent / "typed_user.py").read_text(encoding="utf-8"), encoding="utf-8")
    assert mypy(file, cache) == "Success: no issues found in 1 source file\n"


def test_a_mistake_in_a_user_s_script_is_found(cache, tmp_path):
    file = tmp_path / "mistaken.py"
    file.write_text("from counterplay import games, search\nsearch.minimax(games.load('nim')).valeu\nsearch.minimx\n")
    said = mypy(file, cache)
    assert '"Result" has no attribute "valeu"; maybe "value"?' in said
    assert 'Module has no attribute "minimx"; maybe "minimax"' in said


def test_every_public_name_has_a_type(cache, tmp_path):
    modules = {"counterplay": counterplay}
    modules |= {part: getattr(counterplay, part) for part in PARTS}
    names = [f"{name}.{each}" for name, module in modules.items() for each in module.__all__ if each not in PARTS]
    file = tmp_path / "names.py"
    imports = ["import counterplay", f"from counterplay import {', '.join(PARTS)}"]
    lines = [*imports, *(f"reveal_type({name})" for name in names)]
    file.write_text("\n".join(lines) + "\n")
    types = re.findall(r'Revealed type is "(.*)"', mypy(file, cache))
    assert len(types) == len(names)
    assert [name for name, shown in zip(names, types, strict=True) if shown == "Any"] == []
