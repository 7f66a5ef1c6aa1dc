"""`python -m understandability` is the command `understand`."""

from understandability.cli import main

main()
