"""loadproof inside other tools."""
