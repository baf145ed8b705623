"""What a name means: the words of tensor, module and file names, each with where it comes from; one file a subject."""
