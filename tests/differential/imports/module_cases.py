"""What torch refuses of a module's parts, and what a module says of itself, by name."""

from __future__ import annotations

from tests.differential.imports.build import Case


def _in(body: str) -> Case:
    return Case(body=body)


def _late(text: str) -> Case:
    return Case(tail=text)


MODULES = {
    "list_of_numbers": _in("nn.ModuleList([1])"),
    "list_of_none": _in("nn.ModuleList([None])"),
    "sequence_of_numbers": _in("nn.Sequential(1)"),
    "dictionary_with_a_dot": _in("nn.ModuleDict({'a.b': nn.Linear(1, 1)})"),
    "dictionary_with_a_method": _in("nn.ModuleDict({'keys': nn.Linear(1, 1)})"),
    "dictionary_set_twice": _in("d = nn.ModuleDict({'a': nn.Linear(1, 1)})\nd['a'] = nn.Linear(1, 1)"),
    "module_with_a_dot": _in("self.add_module('a.b', nn.Linear(1, 1))"),
    "module_without_a_name": _in("self.add_module('', nn.Linear(1, 1))"),
    "module_named_as_a_method": _in("self.add_module('forward', nn.Linear(1, 1))"),
    "module_added_twice": _in("self.add_module('proj', nn.Linear(config.width, 4))"),
    "module_that_is_none": _in("self.add_module('x', None)"),
    "buffer_with_a_dot": _in("self.register_buffer('a.b', torch.zeros(1))"),
    "buffer_that_is_a_number": _in("self.register_buffer('x', 3)"),
    "buffer_named_as_a_module": _in("self.register_buffer('proj', torch.zeros(1))"),
    "buffer_registered_twice": _in("self.register_buffer('x', None)\nself.register_buffer('x', None)"),
    "parameter_that_is_a_tensor": _in("self.register_parameter('x', torch.zeros(1))"),
    "parameter_named_as_a_module": _in("self.register_parameter('proj', None)"),
    "training": _in("assert self.training and self.proj.training"),
    "eval": _in("self.eval()\nassert not self.proj.training"),
    "train": _in("assert self.eval().train().training"),
    "cause_that_is_none": _late("raise ValueError('no') from None\n"),
    "cause_that_is_a_number": _late("raise ValueError('no') from 3\n"),
    "caught_by_a_number": _late("try:\n    1 / 0\nexcept 3:\n    pass\n"),
    "caught_by_a_class_that_is_none": _late("try:\n    1 / 0\nexcept (ValueError, int):\n    pass\n"),
    "number_that_catches_nothing": _late("try:\n    pass\nexcept 3:\n    pass\n"),
    "super_at_the_top": _late("super().x\n"),
    "super_in_a_function": _late("def f(): return super().x\nf()\n"),
    "module_name": _late("assert __name__.startswith('transformers_modules')\n"),
    "file_that_is_not_there": _late("import os\nos.listdir('/no/such/folder')\n"),
    "text_that_is_no_json": _late("from json import loads\nloads('{')\n"),
    "program_that_is_not_there": _late("import subprocess\nsubprocess.run(['no-such-program'], check=True)\n"),
    "outward_in_def_there": _late("import json, os\ndef f(): return json.loads(os.listdir('/no')[0])\n"),
    "exit": _late("def f(): exit()\n"),
}
