"""The readers enter themselves when they are imported, as `loadproof.api.explain` does; `candidates` alone does not."""

import loadproof.readers  # noqa: F401
