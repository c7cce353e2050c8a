"""`python -m regis` is `regis`, which begins here: Ctrl-C is heeded also while Regis itself is being loaded."""

import sys


def run() -> None:
    """Run the `regis` script."""
    try:
        from regis import cli

        cli.run()
    except KeyboardInterrupt:  # before a command was there to say how things are, or once it was over
        print("regis: interrupted", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    run()
