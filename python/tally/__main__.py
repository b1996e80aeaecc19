"""python -m tally: the command-line tool."""

import os
import shutil
import sys


def main():
    checkout = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    built = os.path.join(checkout, "build", "tally")
    tool = os.environ.get("TALLY_TOOL") or (built if os.access(built, os.X_OK) else shutil.which("tally"))
    if not tool:
        sys.exit("tally: the tool is not installed: there is no 'tally' in PATH, and TALLY_TOOL names none")
    try:
        os.execv(tool, [tool, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"tally: {tool} cannot be run: {error.strerror}")


if __name__ == "__main__":
    main()
