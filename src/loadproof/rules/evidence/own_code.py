"""Whether a model_type is known to the release, and what became of code that a repository brings itself."""

from __future__ import annotations

import re

from loadproof.config import get
from loadproof.core.case import Case

# The sentence of `check_imports` (dynamic_module_utils.py of transformers 5.24).
_PACKAGES = re.compile(r"packages that were not found in your environment: ([\w., -]{1,200}?)\. Run")


def is_unknown(case: Case) -> bool:
    """The expectation says that no class goes with this model_type."""
    said = f"{case.expectation.raises or ''} {case.expectation.inconclusive or ''}"
    return re.search(r"model_type|model type|[Uu]nrecognized|does not recognize", said) is not None


def needs_code(case: Case) -> bool:
    """Only the repository's own code knows what these names mean, and it could not be read to the end."""
    read = bool(case.expectation.families)
    return has_code(case) and not read and (is_unknown(case) or case.expectation.source != "installed")


def has_code(case: Case) -> bool:
    return bool(get(case.config, ("auto_map",)))


def ran(case: Case) -> bool:
    """Whether the folder's own code was read to an exception: LP703 says so, unless packages are what it lacks."""
    return case.expectation.source == "remote-code" and case.expectation.raises is not None


def lacking_packages(case: Case) -> str:
    """The packages that the code demands and this machine lacks, as the library lists them; empty for other errors."""
    found = _PACKAGES.search(case.expectation.raises or "")
    return found[1] if found else ""
