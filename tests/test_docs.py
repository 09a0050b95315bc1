"""What the documents say is so: every block of code in them runs, and every output they show is the real one.

python    executed in order, one namespace a document; where a line is `print(...)  # text`, that text is printed. A
          block that begins with a comment `# name.py` is that file, and is written instead.
console   lines after `$ ` are run in a shell; the lines below are in the output. Exit status 0, or as in `# exit 2`.

In an output `...` stands for anything, and figures of time for any others. Other blocks are for reading only.
"""

import contextlib
import io
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

import counterplay
from counterplay import games, native, search

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

COMMANDS = ("pip install -e . && counterplay play connect_four", "pip install -e '.[test]' && pytest")


class Block(NamedTuple):
    line: int
    language: str
    text: str


def blocks(document):
    text = document.read_text(encoding="utf-8")
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield Block(text.count("\n", 0, match.start(2)) + 1, match[1], match[2])


def commands(block):
    """(command, the lines of output shown below it) for each command of a console block."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, *shown = part.splitlines()
        yield command, [line.rstrip() for line in shown if line.strip()]


def pattern(shown):
    """A shown line as a regular expression."""
    text = re.escape(timeless(shown)).replace(re.escape("..."), ".*")
    return re.compile(text)


def timeless(line):
    return re.sub(r'\d[\d.]* s\b|(?<="seconds": )[-\d.e]+', "TIME", line.rstrip())


def assert_shown(shown, output, where):
    lines = [timeless(line) for line in output.splitlines()]
    for each in shown:
        assert any(pattern(each).fullmatch(line) for line in lines), f"{where}: no line '{each}' in\n{output}"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working folder whose files can be imported, and a shell that finds the commands, as a user has them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PATH", os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]]))
    for name in ("COUNTERPLAY_INTERPRETED", "COUNTERPLAY_QUIET", "NUMBA_BOUNDSCHECK", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    yield tmp_path
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_blocks_run(document, folder, monkeypatch):
    module = ModuleType("document")
    monkeypatch.setitem(sys.modules, "document", module)
    for block in blocks(document):
        where = f"{document.name}:{block.line}"
        if block.language == "python":
            run_python(block, module, folder, where)
        elif block.language == "console":
            for command, shown in commands(block):
                run_command(command, shown, where)


def run_python(block, module, folder, where):
    if file := re.match(r"# ([\w/]+\.py)\n", block.text):
        (folder / file[1]).write_text(block.text, encoding="utf-8")
        return
    code = compile("\n" * (block.line - 1) + block.text, where, "exec")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, vars(module))
    assert_shown(re.findall(r"^\s*print\(.*\)  # (.*)", block.text, re.MULTILINE), printed.getvalue(), where)


def run_command(command, shown, where):
    if command.startswith("pip install") or command == "pytest":
        return
    status = re.search(r"# exit (\d+)$", command)
    done = subprocess.run(
        command,
        shell=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )
    assert done.returncode == (int(status[1]) if status else 0), f"{where}: {command}\n{done.stdout}"
    assert_shown(shown, done.stdout, f"{where}: {command}")


def test_the_readme_has_the_two_commands():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    for command in COMMANDS:
        assert lines.count(command) == 1


@pytest.mark.parametrize("module", [counterplay, games, native, search], ids=lambda module: module.__name__)
def test_every_public_name_is_explained(module):
    """Each stands somewhere as code: in a block, or between backticks."""
    text = "\n".join(document.read_text(encoding="utf-8") for document in DOCUMENTS)
    code = "\n".join(re.findall(r"^```\w+\n.*?^```$|`[^`\n]+`", text, re.MULTILINE | re.DOTALL))
    missing = [name for name in module.__all__ if not re.search(rf"\b{re.escape(name)}\b", code)]
    assert not missing


def test_links_lead_to_files():
    for document in [*DOCUMENTS, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]:
        for link in re.findall(r"\]\((?!https?:|#)([^)#]+)", document.read_text(encoding="utf-8")):
            assert (document.parent / link).exists(), f"{document.name}: {link}"


@pytest.mark.parametrize(
    ("shown", "line", "same"),
    [
        ("1, value 0, 7 nodes in 0.001 s", "1, value 0, 7 nodes in 12.5 s  ", True),
        ("1, value 0, 7 nodes in 0.001 s", "1, value 0, 8 nodes in 0.001 s", False),
        ('{"nodes": 7, "seconds": 1.0}', '{"nodes": 7, "seconds": 2e-05}', True),
        ('{"nodes": [...], "depth": 2}', '{"nodes": [1, 2], "depth": 2}', True),
        ('{"nodes": [...], "depth": 2}', '{"nodes": [1, 2], "depth": 3}', False),
        ("move", "moves", False),
    ],
)
def test_outputs_are_compared_but_for_times_and_dots(shown, line, same):
    assert bool(pattern(shown).fullmatch(timeless(line))) == same
