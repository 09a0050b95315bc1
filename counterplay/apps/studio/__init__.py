"""Studio: one page to play, analyse, watch and learn, served to the browser of whoever starts it.

    server.py       the application: what there is to ask, and who may
    guard.py        who may: the token, hosts and origins, limits, and what a browser is told to refuse
    catalogue.py    which games, players and models the page may name
    tables.py       the games that are open, and how they stand, for the page
    store.py        the same on disk, so that nothing is lost
    board.py        a position as a picture, and what a click on it means
    workers.py      processes that think; jobs.py: what they do
    play.py, analyse.py, watch.py, quiz.py, learn.py: what each view asks for
    static/         the page: plain modules and style sheets, one module a view

The page names games, seats and moves, never files or code: what runs was named by whoever started the server.
"""
