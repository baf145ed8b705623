"""LP9: head, embedding and placement of a live model."""
