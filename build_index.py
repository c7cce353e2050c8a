"""Builds the index that Regis solves with: `python build_index.py --source xd-clues=xd-clues.zip`.

The same as `regis build`, for those who have not installed anything but the dependencies. Try --help.
"""

import sys

from regis.cli import main

if __name__ == "__main__":
    sys.exit(main(["build", *sys.argv[1:]]))
