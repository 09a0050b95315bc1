"""What to think of a position or of a whole game: best lines, mistakes, and why one move is better than another."""
