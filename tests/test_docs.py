"""What the documents say is so: every block of code in them runs, and every output they show is the real one.

python    executed in order, one namespace a document; where a line is `print(...)  # text`, that text is printed, and
          so is each comment on the lines below a print. A block that begins with a comment `# name.py` is that file,
          and is written instead.
console   lines after `$ ` are run in a shell; the lines below are in the output. Exit status 0, or as in `# exit 2`.

In an output `...` stands for anything, and figures of time for any others. Other blocks are for reading only. A picture
that a command draws and docs/ has too is the same.

`REFRESH_DOCS=1 pytest -m '' tests/test_docs.py` writes figures that have changed into the documents; look at the diff.
"""

import contextlib
import difflib
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
from counterplay import analysis, arena, experiments, games, native, quiz, search, solve, trees
from counterplay.arena.outside import is_installed
from tests.processes import WATCHDOG_SECONDS

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

COMMANDS = ("pip install -e . && counterplay play connect_four", "pip install -e '.[test]' && pytest")


class Block(NamedTuple):
    document: Path
    line: int
    language: str
    text: str

    @property
    def where(self):
        return f"{self.document.name}:{self.line}"

    def rewrite(self, old, new):
        lines = self.document.read_text(encoding="utf-8").split("\n")
        i = next(i for i in range(self.line - 1, len(lines)) if old in lines[i])
        lines[i] = lines[i].replace(old, new)
        self.document.write_text("\n".join(lines), encoding="utf-8")


def blocks(document):
    text = document.read_text(encoding="utf-8")
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield Block(document, text.count("\n", 0, match.start(2)) + 1, match[1], match[2])


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


def assert_shown(shown, output, block):
    lines = [timeless(line) for line in output.splitlines()]
    for each in shown:
        if not any(pattern(each).fullmatch(line) for line in lines):
            real = changed_figures(each, output) if "REFRESH_DOCS" in os.environ else None
            assert real is not None, f"{block.where}: no line '{each}' in\n{output}"
            block.rewrite(each, real)


def changed_figures(shown, output):
    """The line of the output that differs from the one shown in figures only, or None."""

    def words(line):
        return re.sub(r"[\d.,]+", "0", line).split()

    alike = [line.rstrip() for line in output.splitlines() if words(line) == words(shown)]
    for real in difflib.get_close_matches(shown, alike, n=1, cutoff=0):
        pairs = zip(re.split("( +)", shown), re.split("( +)", real), strict=True)
        return "".join(old if old == "..." else new for old, new in pairs)
    return None


def printed_by(text):
    """What a block of Python says that it prints: beside each print, and on lines of comments below it."""
    for beside, below in re.findall(r"^ *print\(.*\)(?:  # (.*))?\n((?: *# .*\n)*)", text, re.MULTILINE):
        yield from [beside] if beside else []
        yield from (line.strip()[2:] for line in below.splitlines())


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


@pytest.mark.slow
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda each: each.name)
def test_blocks_run(document, folder, monkeypatch):
    module = ModuleType("document")
    monkeypatch.setitem(sys.modules, "document", module)
    for block in blocks(document):
        if block.language == "python":
            run_python(block, module, folder)
        elif block.language == "console":
            for command, shown in commands(block):
                run_command(command, shown, block)
    for drawn in folder.glob("*.svg"):
        kept = ROOT / "docs" / drawn.name
        if kept.exists() and "REFRESH_DOCS" in os.environ:
            kept.write_bytes(drawn.read_bytes())
        assert not kept.exists() or kept.read_bytes() == drawn.read_bytes()


def run_python(block, module, folder):
    if file := re.match(r"# ([\w/]+\.py)\n", block.text):
        (folder / file[1]).write_text(block.text, encoding="utf-8")
        return
    code = compile("\n" * (block.line - 1) + block.text, block.where, "exec")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        try:
            exec(code, vars(module))
        except ModuleNotFoundError as error:
            pytest.skip(f"{block.where} needs {error.name} (pip install 'counterplay[test,peers]')")
    assert_shown(printed_by(block.text), printed.getvalue(), block)


def run_command(command, shown, block):
    if command.startswith("pip install") or command == "pytest":
        return
    if any(program in command and not is_installed(program) for program in ("stockfish", "gnugo", "gnubg")):
        return
    status = re.search(r"# exit (\d+)$", command)
    done = subprocess.run(
        command,
        shell=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=WATCHDOG_SECONDS,
    )
    assert done.returncode == (int(status[1]) if status else 0), f"{block.where}: {command}\n{done.stdout}"
    assert_shown(shown, done.stdout, block)


def test_the_readme_has_the_two_commands():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    for command in COMMANDS:
        assert lines.count(command) == 1


PUBLIC = [counterplay, analysis, arena, experiments, games, native, quiz, search, solve, trees]


@pytest.mark.parametrize("module", PUBLIC, ids=lambda module: module.__name__)
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


@pytest.mark.parametrize(
    ("shown", "real"),
    [
        ("table   10,375   30,605", "table   9,999  30,605"),
        ("table   10,375   30,605 nodes", None),
        ("4, value 0 (estimate at depth 8)", "4, value 1 (estimate at depth 9)"),
    ],
)
def test_figures_that_changed_are_found(shown, real):
    assert changed_figures(shown, "table   9,999  30,605\n4, value 1 (estimate at depth 9)") == real


def test_what_is_printed_stands_beside_a_print_or_below_it():
    text = "print(1)  # 1\nfor i in (2, 3):\n    print(i)\n    # 2\n    # 3\nx = 4  # a number\n# a remark\n"
    assert list(printed_by(text)) == ["1", "2", "3"]
