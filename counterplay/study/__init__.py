"""Looking at games and searches: trees, analysis, quizzes, demonstrations, experiments, and the check of a game."""
