"""LP7: the reading library, its release and its code."""
