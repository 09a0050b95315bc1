"""What several test files use: the command line run in this process, and a browser."""

import json
import os
import shutil
import sys

import pytest
from hypothesis import HealthCheck, settings

from counterplay.apps.cli import main
from tests.processes import WATCHDOG_SECONDS


def pytest_configure(config):
    """Machine code is kept beside the project, for all workers and for the next run; what is set is left alone.

    Tables that somebody has built at home have no part in a test.
    """
    os.environ["COUNTERPLAY_TABLES_DIR"] = str(config.rootpath / ".pytest_cache" / "tables")
    os.environ.setdefault("COUNTERPLAY_CACHE_DIR", str(config.rootpath / ".pytest_cache" / "machine_code"))


# A busy machine is no failure, and the examples are the same every time.
settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")


@pytest.fixture
def counterplay(monkeypatch, capsys):
    """Run a command line in this process: (exit status, standard output, standard error)."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["counterplay", *map(str, arguments)])
        capsys.readouterr()
        try:
            main()
            status = 0
        except SystemExit as exit:
            status = exit.code or 0
        out, err = capsys.readouterr()
        return status, out, err

    return run


@pytest.fixture
def answer(counterplay):
    """The JSON that a command prints."""

    def run(*arguments):
        status, out, err = counterplay(*arguments, "--json")
        assert status == 0, err
        return json.loads(out)

    return run


@pytest.fixture
def new_page():
    """Debian's Chromium, driven by playwright: a function that opens a page."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright (pip install playwright)")
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("needs Chromium (Debian: apt install chromium)")
    options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
    with playwright.sync_playwright() as p:
        chromium = p.chromium.launch(executable_path=program, args=options, timeout=WATCHDOG_SECONDS * 1000)

        def opened(**settings):
            page = chromium.new_page(**settings)
            page.set_default_timeout(WATCHDOG_SECONDS * 1000)
            return page

        yield opened
        chromium.close()
