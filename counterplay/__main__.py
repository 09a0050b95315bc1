"""`python -m counterplay` is the command line too."""

from counterplay.cli import main

main()
