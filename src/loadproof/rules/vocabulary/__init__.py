"""LP2: embedding, head, ties and vocabulary."""
