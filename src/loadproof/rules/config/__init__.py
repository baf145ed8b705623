"""LP0: config.json itself, before anything is built from it."""
