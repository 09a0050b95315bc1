"""A slow obvious twin of Go: sets of points, nothing kept but the positions so far."""


class Twin:
    """The rules as one would say them, from scratch at every move."""

    def __init__(self, game):
        self.game, self.limit = game, game.most_moves or 2 * game.size * (game.columns or game.size)
        self.points = {(r, c) for r in range(game.size) for c in range(game.columns or game.size)}
        self.stones, self.past, self.ko, self.passes, self.ply = {}, [{}], None, 0, 0

    def beside(self, point):
        r, c = point
        return {(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)} & self.points

    def group(self, stones, point):
        """The group of a stone, and its liberties."""
        group, liberties, rest = set(), set(), [point]
        while rest:
            here = rest.pop()
            if here not in stones:
                liberties.add(here)
            elif stones[here] == stones[point] and here not in group:
                group.add(here)
                rest += self.beside(here)
        return group, liberties

    def after(self, point):
        """The stones after a move; None if the rules forbid it."""
        if point in self.stones or point == self.ko:
            return None
        stones = {**self.stones, point: self.ply % 2}
        for near in self.beside(point):
            if stones.get(near) == 1 - self.ply % 2:
                group, liberties = self.group(stones, near)
                if not liberties:
                    stones = {p: colour for p, colour in stones.items() if p not in group}
        group, liberties = self.group(stones, point)
        if not liberties:
            if not self.game.suicide or len(group) == 1:
                return None
            stones = {p: colour for p, colour in stones.items() if p not in group}
        return None if self.game.ko == "positional" and stones in self.past else stones

    def over(self):
        return self.passes == 2 or self.ply >= self.limit

    def legal(self):
        return set() if self.over() else {None} | {p for p in self.points if self.after(p) is not None}

    def play(self, point):
        """The twin after a move; None is a pass."""
        new = Twin.__new__(Twin)
        new.game, new.limit, new.points, new.ply, new.ko = self.game, self.limit, self.points, self.ply + 1, None
        new.passes = self.passes + 1 if point is None else 0
        new.stones = self.stones if point is None else self.after(point)
        new.past = [*self.past, new.stones]
        lost = [p for p, colour in self.stones.items() if p not in new.stones and colour != self.ply % 2]
        if point is not None and len(lost) == 1 and self.game.ko == "simple":
            group, liberties = new.group(new.stones, point)
            if len(group) == 1 and liberties == set(lost):
                new.ko = lost[0]
        return new

    def area(self):
        """Black's points less White's: the stones, and the free points that reach one colour only."""
        score, rest = 0, set(self.points)
        while rest:
            region, colours, near = set(), set(), [rest.pop()]
            while near:
                here = near.pop()
                if here in self.stones:
                    colours.add(self.stones[here])
                elif here not in region:
                    region.add(here)
                    near += self.beside(here)
            rest -= region
            score += max(1, len(region)) * (1 if colours == {0} else -1 if colours == {1} else 0)
        return score

    def atari(self):
        return {p for p in self.stones if len(self.group(self.stones, p)[1]) == 1}


def twin_of(game, s):
    """The twin of a position that has no past."""
    twin = Twin(game)
    rows = reversed(game.board(s))
    twin.stones = {(r, c): "XO".index(cell) for r, row in enumerate(rows) for c, cell in enumerate(row) if cell != "."}
    twin.past, twin.ply, twin.passes = [twin.stones], s.ply, s.passes
    twin.ko = divmod(s.ko, game.stride) if s.ko >= 0 else None
    return twin
