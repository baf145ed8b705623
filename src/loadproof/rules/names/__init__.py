"""LP4: names and layout."""
