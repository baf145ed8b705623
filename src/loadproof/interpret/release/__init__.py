"""One transformers release as text: which file defines what, and the glue around the classes read from it."""
