"""`python -m counterplay` is the command line too."""

from counterplay.apps.cli import main

if __name__ == "__main__":  # a process that `check` starts imports this file, too
    main()
