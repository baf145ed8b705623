"""What several rules share: hypotheses, name and shape comparisons, words. No rule lives here."""
