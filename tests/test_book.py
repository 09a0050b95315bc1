"""Opening books: lines read, moves chosen, players and engines that ask them, and that ours is playable."""

from collections import Counter
from pathlib import Path

import pytest

from counterplay import UserError, arena, games, native, search
from counterplay.apps.protocols.thinker import Ask, Options, Thinker
from counterplay.arena import new_player
from counterplay.arena.book import Book, has_book, shipped_book
from counterplay.core.randomness import Dice
from counterplay.search import Limits

CHESS = games.load("chess")


def test_a_book_knows_positions_however_they_came_about():
    book = Book(CHESS, "# two ways\nd4 d5 c4\nc4 d5 d4 e6  # the same position\n\n")
    assert len(book) == 6
    names = {CHESS.action_name(CHESS.initial(), a): n for a, n in book.moves(CHESS.initial()).items()}
    assert names == {"d4": 1, "c4": 1}
    here = CHESS.at("d4 d5 c4").state
    assert [CHESS.action_name(here, a) for a in book.moves(here)] == ["e6"]
    assert book.moves(CHESS.at("e4").state) == {}
    assert book.choose(CHESS.at("e4").state, Dice(0)) is None


def test_moves_of_many_lines_are_chosen_more_often():
    book = Book(CHESS, "e4 e5\ne4 c5\ne4 e6\nd4 d5\n")
    s = CHESS.initial()
    chosen = Counter(CHESS.action_name(s, book.choose(s, Dice(seed))) for seed in range(200))
    assert chosen.keys() == {"e4", "d4"}
    assert 120 < chosen["e4"] < 180


def test_answers_and_images():
    """After `>` only the last move is known; of Connect Four the mirror image is, too."""
    four = games.load("connect_four")
    book = Book(four, "> 4\n> 4 1 4\n> 4 1 4 4 2\n> 4 2 3\n")
    assert book.moves(four.initial()) == {3: 1}
    assert book.moves(four.at("4").state) == {}
    assert book.moves(four.at("4 1").state) == book.moves(four.at("4 7").state) == {3: 1}
    assert book.moves(four.at("4 1 4 4").state) == {1: 1}
    assert book.moves(four.at("4 7 4 4").state) == {5: 1}
    assert book.moves(four.at("4 2").state) == {2: 1}
    assert len(book) == 7  # the first position is its own image


def test_a_line_that_cannot_be_played_is_named():
    with pytest.raises(UserError, match="row 2 of the book of chess"):
        Book(CHESS, "e4 e5\ne4 e4\n")


def test_the_book_of_chess_can_be_played():
    book = shipped_book(CHESS)
    assert has_book(CHESS)
    assert len(book) >= 40
    assert not has_book(games.load("chess:chess960=on"))
    with pytest.raises(UserError, match="no book for nim"):
        shipped_book(games.load("nim"))


def test_the_book_of_connect_four_knows_how_the_first_player_wins():
    four = games.load("connect_four")
    known = shipped_book(four)
    for reply in four.actions(four.at("4").state):
        s = four.result(four.at("4").state, reply)
        assert len(known.moves(s)) == 1
    assert known.moves(four.at("4").state) == {}


@pytest.mark.slow
def test_what_it_has_wins():
    four = games.load("connect_four")
    text = (Path(arena.__file__).parent / "books" / "connect_four.txt").read_text()
    rows = [row.removeprefix(">") for row in text.splitlines() if row.startswith(">")]
    late = [row for row in rows if len(row.split()) == 13]
    for row in late[:: len(late) // 3]:
        assert search.alphabeta(four.at(row)).value == 1.0


def test_a_player_asks_the_book_before_it_thinks():
    player = new_player(CHESS, "alphabeta:depth=1,book=on", seed=3)
    with native.interpreted():
        chosen = player.choose([CHESS.initial()])
        assert chosen in shipped_book(CHESS).moves(CHESS.initial())
        assert player.search([CHESS.initial()]).action == chosen  # so it does where people play against it
        mate = CHESS.from_text("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
        assert CHESS.action_name(mate, player.choose([mate])) == "Ra8#"
    with pytest.raises(UserError, match="no book for nim"):
        new_player(games.load("nim"), "alphabeta:depth=2,book=on")


def test_an_engine_asks_it_if_it_may():
    posted, found = [], []
    with native.interpreted():
        thinker = Thinker(CHESS, posted.append)
        thinker.set_options(book=True)
        assert Options(book=True).book
        thinker.begin(Ask(Limits(nodes=1_000_000)), lambda _: None, found.append)
        while not found:
            while posted:
                posted.pop(0)()
        thinker.close()
    assert found[0].action in shipped_book(CHESS).moves(CHESS.initial())
    assert found[0].nodes < 1_000
