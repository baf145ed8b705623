"""``python -m loadproof``."""

import sys

from loadproof.cli.main import main

sys.exit(main())
