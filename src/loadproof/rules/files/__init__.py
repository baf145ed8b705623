"""LP0: what the bytes of a file are, whatever reads them."""
