"""LP5: shapes and types."""
