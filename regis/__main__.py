"""Run `regis` as `python -m regis`; Ctrl-C works even while Regis is loading."""

import sys


def run() -> None:
    try:
        from regis import cli

        cli.run()
    except KeyboardInterrupt:  # before the command started or after it ended
        print("regis: interrupted", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    run()
