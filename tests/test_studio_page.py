"""The page of the studio in a real browser: every game by clicks alone, keys, safety, and that all can use it.

`STUDIO_ALL=1` plays all games to their ends, which takes some minutes; otherwise long ones are left after some moves.
"""

import http.server
import json
import os
import re
import threading
from functools import partial

import pytest

from counterplay import games
from tests.processes import WATCHDOG_SECONDS
from tests.studio_server import studio

pytestmark = pytest.mark.long

for needed in ("fastapi", "httpx", "websockets"):
    pytest.importorskip(needed, reason=f"needs {needed} (pip install 'counterplay[test]')")

MOVES = '''"""A king's walk: both kings go up and down a board; who reaches the other's row first wins."""
from typing import NamedTuple
from counterplay import Game

class Walk(Game):
    class State(NamedTuple):
        white: int
        black: int
        turn: int
    def initial(self): return self.State(1, 13, 0)
    def player(self, s): return s.turn
    def actions(self, s):
        here, other = (s.white, s.black) if s.turn == 0 else (s.black, s.white)
        return [t for t in range(15) if t not in (here, other)
                and abs(t // 3 - here // 3) <= 1 and abs(t % 3 - here % 3) <= 1
                and (t // 3 >= here // 3 if s.turn == 0 else t // 3 <= here // 3)]
    def result(self, s, a):
        return self.State(a, s.black, 1) if s.turn == 0 else self.State(s.white, a, 0)
    def is_terminal(self, s): return s.white >= 12 or s.black <= 2
    def utility(self, s, p): return 1.0 if (s.white >= 12) == (p == 0) else -1.0
    def board(self, s):
        rows = [["."] * 3 for _ in range(5)]
        rows[s.white // 3][s.white % 3] = "W"
        rows[s.black // 3][s.black % 3] = "B"
        return rows
'''
PLACES = '''"""Dominoes of one cell: who cannot put one down where no neighbour lies has lost. <b>Bold?</b>"""
from typing import NamedTuple
from counterplay import Game

class Apart(Game):
    class State(NamedTuple):
        cells: tuple
        turn: int
    player_names = ("<img src=x onerror=alert(1)>", "<script>alert(2)</script>")
    def initial(self): return self.State((0,) * 9, 0)
    def player(self, s): return s.turn
    def actions(self, s):
        return [i for i in range(9) if not s.cells[i]
                and not any(s.cells[j] for j in range(9) if abs(i // 3 - j // 3) + abs(i % 3 - j % 3) == 1)]
    def result(self, s, a): return self.State(s.cells[:a] + (s.turn + 1,) + s.cells[a + 1:], 1 - s.turn)
    def is_terminal(self, s): return not self.actions(s)
    def utility(self, s, p): return -1.0 if s.turn == p else 1.0
    def board(self, s): return [[".xo"[c] for c in s.cells[3 * r:3 * r + 3]] for r in range(3)]
'''

CLICKER = """
async ([seed, most]) => {
  // Clicks whatever can be clicked, chosen at random, until the game is over or so many moves were made.
  let word = seed;
  const below = (n) => (word = (word * 1103515245 + 12345) % 2147483648, Math.floor(word / 65536) % n);
  const any = (all) => all.length ? all[below(all.length)] : null;
  const layout = document.querySelector(".layout"), all = (css) => [...document.querySelectorAll(css)];
  const pause = () => new Promise((done) => setTimeout(done, 4));
  const status = () => document.querySelector(".status").textContent;
  const is_over = () => status().startsWith("The game is over");
  let clicks = 0, first = 0;
  const begun = Number(layout.dataset.moves), moves = () => Number(layout.dataset.moves) - begun;
  for (let idle = 0; !is_over() && moves() < most && clicks < 40 * most && idle < 20000;) {
    const target = any(all(".chooser .move")) ?? any(all(".cell.target")) ?? any(all(".cell.movable"));
    const named = any(all(".board ~ div > .named .move:enabled"));
    const chosen = target && (!named || below(6)) ? target : named;
    if (layout.dataset.turn !== "human" || !chosen) { idle += 1; await pause(); continue; }
    idle = 0; clicks += 1;
    if (chosen.classList.contains("movable")) first += 1;
    chosen.click();
    await pause();
  }
  return { over: is_over(), status: status(), moves: moves(), clicks, first };
}
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    for name, text in (("walk.py", MOVES), ("apart.py", PLACES)):
        (folder / name).write_text(text)
    files = [str(folder / "walk.py"), str(folder / "apart.py")]
    with studio(folder / "games.sqlite", *files, "--processes", "2") as running:
        yield running


@pytest.fixture(scope="module")
def browser():
    """Debian's Chromium, once for all tests of this file."""
    import shutil

    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright (pip install playwright)")
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("needs Chromium (Debian: apt install chromium)")
    options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
    with playwright.sync_playwright() as p:
        opened = p.chromium.launch(executable_path=program, args=options, timeout=WATCHDOG_SECONDS * 1000)
        yield opened
        opened.close()


@pytest.fixture
def new_page(browser, served):
    """A function that opens the studio. At the end: no error was on the console, and no request left the machine."""
    problems, pages = [], []

    def opened(where="", **settings):
        page = browser.new_context(**settings).new_page()
        pages.append(page)
        page.set_default_timeout(WATCHDOG_SECONDS * 1000)
        page.on("console", lambda said: problems.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda asked: is_ours(asked.url) or problems.append(asked.url))
        page.goto(served.address + where)
        page.wait_for_selector(".card")
        return page

    def is_ours(url):
        return url.startswith((served.address, served.address.replace("http", "ws", 1), "data:", "blob:"))

    yield opened
    for page in pages:
        page.context.close()
    assert problems == []


def soon(page, selector):
    """What will be true of an element before long."""
    from playwright.sync_api import expect

    expect.set_options(timeout=WATCHDOG_SECONDS * 1000)
    return expect(page.locator(selector).first)


def begun(page, served, game, players=2, **more):
    """A game of a person against random moves, in the page."""
    seats = [{"kind": "human"}, *[{"kind": "random"}] * (players - 1)]
    table = served.begin(game, *seats, seed=7, **more)
    page.goto(f"{served.address}#play/{game}/{table['id']}")
    page.wait_for_selector(f'.layout[data-moves="{len(table["moves"])}"]')
    soon(page, "#game").to_have_value(game)


def is_clickable(game):
    s = game.initial()
    return game.board(s) is not None or bool(game.spots(s))


PLAYED = ("walk", "apart", *games.names())
MOST_MOVES = 10**6 if os.environ.get("STUDIO_ALL") else 10
"""Of a game in the tests; short games end before."""


@pytest.mark.parametrize("some", [(each,) for each in PLAYED] if os.environ.get("STUDIO_ALL") else [PLAYED])
def test_every_game_is_played_by_clicks_alone(new_page, served, some):
    page = new_page()
    for game in some:
        begun(page, served, game, players=games.load(game).players if game in games.names() else 2)
        found = page.evaluate(CLICKER, [11, MOST_MOVES])
        assert found["over"] or found["moves"] >= MOST_MOVES, (game, found)
        has_board = game in ("walk", "apart") or is_clickable(games.load(game))
        assert bool(found["first"]) == has_board, (game, found)
        assert page.locator("#toast").inner_text() == "", game


def test_a_long_game_ends_by_clicks(new_page, served):
    """The end of a chess game: from a position a few moves before it."""
    page = new_page()
    begun(page, served, "chess", position="7k/5Q2/6K1/8/8/8/8/8 w - - 0 1")
    page.click('[data-cell="1,5"]')
    assert "target" in page.locator('[data-cell="1,6"]').get_attribute("class")
    page.click('[data-cell="1,6"]')
    soon(page, ".status").to_contain_text("White wins")


def test_promotion_asks_which_piece(new_page, served):
    page = new_page()
    begun(page, served, "chess", position="7k/P7/8/8/8/8/8/K7 w - - 0 1")
    page.click('[data-cell="1,0"]')
    page.click('[data-cell="0,0"]')
    assert set(page.locator(".chooser .move").all_inner_texts()) == {"a8=Q+", "a8=R+", "a8=B", "a8=N"}
    page.click(".chooser >> text=a8=N")
    page.wait_for_selector(".moves >> text=a8=N")


def test_dragging_moves_a_piece(new_page, served):
    page = new_page()
    begun(page, served, "chess")
    from_, to = (page.locator(f'[data-cell="{cell}"]').bounding_box() for cell in ("6,4", "4,4"))
    page.mouse.move(from_["x"] + 20, from_["y"] + 20)
    page.mouse.down()
    page.mouse.move(to["x"] + 18, to["y"] + 18, steps=4)
    assert page.locator(".ghost").count() == 1
    page.mouse.up()
    page.wait_for_selector(".moves >> text=e4")
    assert page.locator(".ghost").count() == 0


def test_a_finger_drops_a_disc_anywhere_in_its_column(new_page, served):
    page = new_page(has_touch=True, is_mobile=True, viewport={"width": 390, "height": 800})
    begun(page, served, "connect_four")
    page.tap('[data-cell="0,3"]')
    page.wait_for_selector('.layout[data-moves="2"]')
    page.wait_for_selector(".moves >> text=4")


def test_all_of_play_works_by_keyboard(new_page, served):
    page = new_page()
    begun(page, served, "tic_tac_toe")
    page.focus('[data-cell="0,0"]')
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    page.wait_for_selector('.layout[data-moves="2"][data-turn="human"]')
    assert page.locator(".moves button").first.inner_text() == "b2"
    assert page.evaluate("document.activeElement.dataset.cell") == "1,1", "the focus stays where it was"
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("u")
    page.wait_for_selector('.layout[data-moves="0"]')
    page.keyboard.press("n")
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")


def test_pacman_walks_by_the_arrows(new_page, served):
    page = new_page()
    begun(page, served, "pacman")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(".moves >> text=W")


def test_undo_hint_take_over_save_load_and_resign(new_page, served, tmp_path):
    page = new_page()
    begun(page, served, "tic_tac_toe")
    page.click('[data-cell="1,1"]')
    page.wait_for_selector('.layout[data-moves="2"][data-turn="human"]')
    page.click("text=Hint")
    page.wait_for_selector(".cell.hint")
    with page.expect_download() as saved:
        page.click("text=Save")
    file = tmp_path / "saved.json"
    saved.value.save_as(file)
    assert json.loads(file.read_text())["moves"][0] == "b2"
    page.click("text=Undo")
    page.wait_for_selector('.layout[data-moves="0"]')
    page.set_input_files("input[type=file]", file)
    page.wait_for_selector('.layout[data-moves="2"]')
    page.click("text=Take over")
    page.select_option("dialog select >> nth=0", "1")
    page.click("dialog >> text=Change")
    soon(page, ".side .card h2").to_contain_text("O: you")
    page.click("text=Resign")
    soon(page, ".status").to_contain_text("resigned")


API = 'await import(document.querySelector("script[type=module]").src.replace("main.js", "api.js"))'

VERDICT = """
async (news) => {
  const { socket } = API;
  const table = await (await fetch(`api/tables/${location.hash.split("/").at(-1)}`)).json();
  Object.assign(table.moves[0], { mark: "??", verdict: `a blunder, ${news}` });
  socket.hear({ table: { ...table, version: Date.now() } });
}
""".replace("API", API)


def test_news_of_verdicts_leaves_the_board_alone(new_page, served):
    """A hint, and an earlier position that somebody looks at, stay when the server has judged a move meanwhile."""
    page = new_page()
    begun(page, served, "tic_tac_toe")
    page.click('[data-cell="1,1"]')
    page.wait_for_selector('.layout[data-moves="2"][data-turn="human"]')
    page.click("text=Hint")
    page.wait_for_selector(".cell.hint")
    page.evaluate(VERDICT, "once")
    page.wait_for_selector("text=a blunder, once")
    assert page.locator(".cell.hint").count() == 1
    page.click(".moves button >> nth=0")
    soon(page, ".status").to_contain_text("After 1 of 2 moves")
    page.evaluate(VERDICT, "twice")
    page.wait_for_selector("text=a blunder, twice")
    assert "After 1 of 2 moves" in page.locator(".status").inner_text()


def test_analysing_a_pasted_game(new_page, served):
    page = new_page("#analyse/nim")
    page.fill("textarea", "a1 b1 c1")
    page.click("text=Read")
    page.wait_for_selector(".moves >> text=b1")
    page.click("text=Judge every move")
    page.wait_for_selector(".chip >> text=blunder")
    page.click(".moves >> text=a1")
    page.wait_for_selector("table td >> text=win")
    page.wait_for_selector(".line >> text=positions")
    page.click('[aria-label="To the end"]')
    soon(page, ".moves [aria-current]").to_have_text(re.compile("^c1"))


def test_watching_alpha_beta_and_editing_the_tree(new_page, served):
    page = new_page("#watch/tree")
    page.wait_for_selector("h2 >> text=step 0 of 33")
    forward = page.get_by_role("button", name="Forward ▶")
    for _ in range(18):
        forward.click()
    assert "if v ≤ α: return v    # MIN here is ≤ 2, MAX already has 3" in page.locator("pre.code mark").inner_text()
    assert page.locator(".stack").inner_text().split() == [
        "α",
        "β",
        "v",
        "MAX",
        "root",
        "3",
        "∞",
        "3",
        "MIN",
        "2",
        "3",
        "2",
        "2",
    ]
    assert page.locator(".edge.cut").count() == 2
    page.keyboard.press("End")
    page.click("text=Edit tree")
    page.click('[data-node="2"]')
    page.fill("input[type=number] >> nth=0", "30")
    page.keyboard.press("Tab")
    soon(page, "textarea").to_have_value(re.compile(r"max\[min\[30, 12, 8\]"))
    page.click("text=Add a child")
    soon(page, "textarea").to_have_value(re.compile(r"max\[min\[max\[30\], 12, 8\]"))
    page.wait_for_url(re.compile("min%5Bmax%5B30"))
    page.select_option('[aria-label="Search"]', "mcts")
    page.wait_for_selector("h2 >> text=step 0 of 160")


HOLD_ANSWERS = """
async () => {
  const { socket } = API;
  const hear = socket.hear.bind(socket), held = window.held = [];
  socket.hear = (message) => held.push(message);
  window.arrived = async (so_many) => {
    while (held.length < so_many) await new Promise((done) => setTimeout(done, 4));
  };
  window.release = () => hear(held.shift());
}
""".replace("API", API)


def test_what_is_edited_while_an_answer_is_on_its_way_is_kept(new_page):
    """Three changes, the last of them after the answer to the first, which knows nothing of the second."""
    page = new_page("#watch/tree")
    page.wait_for_selector("h2 >> text=step 0 of 33")
    page.click("text=Edit tree")
    page.click('[data-node="2"]')
    page.evaluate(HOLD_ANSWERS)
    page.fill("input[type=number] >> nth=0", "30")
    page.click("text=Add a child")
    page.evaluate("arrived(2)")
    page.evaluate("release()")
    page.click("text=Add a child")
    page.evaluate("arrived(2)")
    page.evaluate("release(), release()")
    assert page.locator("textarea").input_value().startswith("max[min[max[30, 0], 12, 8]")
    page.wait_for_selector("h2 >> text=step 0 of 37")


def test_a_quiz_answered_by_clicks(new_page, served):
    page = new_page("#quiz/tree")
    page.select_option('[aria-label="Kind of question"]', "value")
    page.wait_for_selector("text=What is the root worth")
    page.locator('[role=button]:has-text("")').last.click()
    page.click("text=Answer")
    page.wait_for_selector("text=/Right|Not quite/")
    page.wait_for_selector("text=/of 1 right/")


def test_a_question_that_comes_too_late_is_dropped(new_page, served):
    page, held = new_page("#quiz/tree"), []
    page.wait_for_selector("button.main:enabled >> text=Answer")
    page.route("**/api/quiz", lambda route: held.append(route), times=1)
    page.select_option('[aria-label="Kind of question"]', "value")
    assert page.is_disabled("text=Answer")
    page.select_option('[aria-label="Kind of question"]', "maxn")
    page.wait_for_selector("button.main:enabled >> text=Answer")
    asked = page.inner_text("form >> xpath=preceding-sibling::p[1]")
    with page.expect_response("**/api/quiz"):
        held[0].continue_()
    assert page.inner_text("form >> xpath=preceding-sibling::p[1]") == asked != ""


def test_a_match_in_the_page(new_page, served):
    page = new_page("#learn/nim")
    page.select_option("section >> nth=1 >> select >> nth=0", "random")
    page.fill("section >> nth=1 >> input[type=number]:visible >> nth=0", "2")
    page.click("text=Begin")
    page.wait_for_selector("td >> text=random moves")
    soon(page, "section:nth-of-type(2) button.main").to_have_text("Begin")


# ---- safety


class _Hostile(http.server.BaseHTTPRequestHandler):
    """A page of another origin on the same machine, which knows the token: it must get nothing all the same."""

    def do_GET(self):
        body = b"<!doctype html><title>hostile</title>"
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def test_a_page_of_another_origin_gets_nothing(browser, served):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Hostile)) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{other.server_address[1]}/")
        found = page.evaluate(
            """async (address) => {
              const post = { method: "POST", body: "{}" }, json = { "content-type": "application/json" };
              const before = await Promise.allSettled([
                fetch(address + "api/games"),
                fetch(address + "api/tables", { ...post, headers: json }),
                fetch(address + "api/tables", { ...post, mode: "no-cors" }),
                import(address + "main.js"),
              ]);
              const socket = await new Promise((done) => {
                const opened = new WebSocket(address.replace("http", "ws") + "live");
                opened.onopen = () => done("open");
                opened.onerror = () => done("refused");
              });
              const frame = document.createElement("iframe");
              frame.src = address;
              document.body.append(frame);
              await new Promise((done) => (frame.onload = done));
              let framed = "empty";
              try { framed = frame.contentDocument ? "same" : "blocked"; } catch { framed = "blocked"; }
              return { states: before.map((each) => each.status), socket, framed };
            }""",
            served.address,
        )
        page.close()
        other.shutdown()
    assert found == {"states": ["rejected"] * 4, "socket": "refused", "framed": "blocked"}
    assert all(each["name"] != "hostile" for each in served.get("api/tables").json())


def test_names_of_games_are_never_markup(new_page, served):
    page = new_page()
    begun(page, served, "apart")
    assert "<img src=x onerror=alert(1)>: you" in page.locator(".card h2").first.inner_text()
    assert page.locator("main img[src=x]").count() == 0
    assert page.evaluate("document.querySelectorAll('script:not([src])').length") == 0


# ---- for everybody


@pytest.mark.parametrize(
    "where", ["#play/chess", "#play/kalah", "#analyse/othello", "#watch/tree", "#quiz/tree", "#learn/nim"]
)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_accessibility_checker_finds_nothing_serious(new_page, where, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
    page = new_page(where, color_scheme=scheme, bypass_csp=True)
    page.wait_for_load_state("networkidle")
    found = axe.Axe().run(page).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in found if each["impact"] in ("serious", "critical")] == []


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_wider_than_the_screen(new_page, width):
    page = new_page(viewport={"width": width, "height": 800})
    for where in ("#play/chess", "#play/backgammon", "#analyse/go", "#watch/tree", "#quiz/tree", "#learn/chess"):
        page.evaluate("(where) => (location.hash = where)", where)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, where
