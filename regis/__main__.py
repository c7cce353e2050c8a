"""`python -m regis` is `regis`."""

from regis.cli import run

if __name__ == "__main__":
    run()
