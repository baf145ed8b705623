"""LP3: the layer plan, depth and numbering."""
