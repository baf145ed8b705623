"""A process of its own for text from strangers, behind the operating system's wall."""
