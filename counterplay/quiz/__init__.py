"""Questions about game trees, in the style of the lectures, with checked answers."""
