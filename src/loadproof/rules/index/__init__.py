"""LP1: the index, its shards and which files are read."""
