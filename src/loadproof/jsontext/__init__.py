"""JSON text: one way to read it strictly (`read`), one scan for where things stand (`scan`), and edits (`edit`)."""
