"""What a game is: sets of squares, states, rules, texts and drawings. Knows nothing of compilers and searches."""
