"""`python -m studio.launcher.install base`: installs locks and nothing else, for images."""

import sys
from pathlib import Path

from studio.launcher.errors import LauncherError
from studio.launcher.install import prepare


def main() -> None:
    root = Path(__file__).resolve().parents[3]
    try:
        prepare(root, locks=tuple(sys.argv[1:]) or ("base",), pages=False)
    except LauncherError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
