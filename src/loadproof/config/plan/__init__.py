"""Which block each layer of the decoder is: spellings of a plan as codecs, and the plan that the tensors show."""
