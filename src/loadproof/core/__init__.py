"""The data that flows between the stages, one subject a file. Frozen structs only: no behaviour, no I/O.

Words used throughout:

* *template*: a tensor name in which every all-digit dot part is written ``{}``
  (``model.layers.{}.mlp.experts.{}.up_proj.weight``).
* *axes*: one sorted tuple of indices per ``{}``; a family stands for the full product of its axes.
* *shape*: a tuple of sizes, outermost dimension first, as torch prints it.
"""
