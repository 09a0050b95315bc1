"""What people and programs start: the command line."""
