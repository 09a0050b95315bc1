"""Minimax and its family as the book has them: every action in the game's order, and no more memory than a table."""
