"""Scripts that let a shell complete commands and options, made from the parsers themselves."""
