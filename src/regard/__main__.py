"""The command `regard`, and `python -m regard`.

Here and not in `cli`, so that Ctrl-C while that room is still being imported leaves as it does later, without a
traceback.
"""

import sys


def main() -> None:
    """Import the command line and run it."""
    try:
        from regard.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
