"""`python -m counterplay` is the command line too."""

from counterplay.apps.cli import main

main()
