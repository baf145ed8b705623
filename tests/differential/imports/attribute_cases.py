"""Attributes of modules that are there and that are not, by name."""

from __future__ import annotations

from tests.differential.imports.build import Case


def _late(text: str) -> Case:
    return Case(tail=text)


ATTRIBUTES = {
    "torch_attribute": _late("x = torch.no_such\n"),
    "torch_attribute_in_def": _late("def f(): return torch.no_such\n"),
    "nn_attribute": _late("x = nn.NoSuch\n"),
    "functional_attribute": _late("import torch.nn.functional as F\nx = F.no_such\n"),
    "transformers_attribute": _late("import transformers\nx = transformers.NoSuch\n"),
    "transformers_module_attribute": _late("import transformers\nx = transformers.modeling_utils.no_such\n"),
    "numpy_attribute": _late("import numpy as np\nx = np.no_such\n"),
    "numpy_attribute_gone": _late("import numpy as np\nx = np.float_\n"),
    "torch_by_another_name": _late("t = torch\nx = t.no_such\n"),
    "getattr_of_a_joined_name": _late("x = getattr(torch, 'no' + '_such')\n"),
    "getattr_with_default": _late("x = getattr(torch, 'no_such', None)\n"),
    "hasattr_of_what_is_missing": _late("assert not hasattr(torch, 'no_such')\n"),
    "hasattr_of_what_is": _late("assert hasattr(torch, 'compile')\n"),
    "package_attribute": _late("import msgspec\nx = msgspec.no_such\n"),
    "package_module_attribute": _late("import safetensors\nx = safetensors.torch.no_such\n"),
    "json_attribute": _late("import json\nx = json.no_such\n"),
    "os_attribute": _late("import os\nx = os.path.join('a', 'b')\nos.no_such\n"),
    "torch_cuda_attribute": _late("x = torch.cuda.no_such()\n"),
    "base_class_attribute": _late("class A(nn.NoSuch): pass\n"),
    "decorator_attribute": _late("class A(torch.nn.Module):\n    @torch.no_such\n    def f(self): pass\n"),
    "annotation_attribute": _late("def f(x: torch.NoSuch): pass\n"),
    "layer_attribute": Case(body="self.x = torch.nn.Linear2(2,2)"),
    "attribute_caught": _late("try:\n    x = torch.no_such\nexcept AttributeError:\n    x = 1\n"),
    "transformers_hasattr": _late("import transformers\nassert not hasattr(transformers, 'NoSuchX')\n"),
    "module_of_release_attribute": _late("from transformers import modeling_utils\nx = modeling_utils.no_such\n"),
    "dtype_attribute": _late("x = torch.float33\n"),
    "sys_attribute": _late("import sys\nx = sys.no_such\n"),
    "collections_attribute": _late("import collections\nx = collections.Mapping\n"),
    "nn_by_another_name": _late("from torch import nn as N, optim\nx = N.no_such\n"),
    "inspect_attribute": _late("import inspect\nx = inspect.getargspec\n"),
    "typing_attribute": _late("import typing\nx = typing.NoSuch\n"),
    "torch_modules_there": _late(
        "import torch.utils.checkpoint\nx = torch.utils.checkpoint.checkpoint\n"
        "y = torch.nn.functional.scaled_dot_product_attention\nz=torch.backends.cuda.sdp_kernel\n"
        "w = torch.compiler.disable\nv = torch.jit.is_tracing\nu=torch.cuda.amp.autocast\n"
    ),
    "functional_there": _late(
        "import torch.nn.functional as F\nx=[F.silu,F.gelu,F.softmax,F.layer_norm,"
        "F.rms_norm,F.cross_entropy,F.pad,F.interpolate,F.one_hot,F.dropout,F.relu,"
        "F.scaled_dot_product_attention,F.logsigmoid,F.normalize]\n"
    ),
    "torch_there": _late(
        "x=[torch.float8_e4m3fn,torch.bfloat16,torch.einsum,torch.meshgrid,torch.finfo,"
        "torch.set_grad_enabled,torch.utils,torch.rsqrt,torch.no_grad,torch.autocast,"
        "torch.is_autocast_enabled,torch.get_autocast_gpu_dtype,torch.LongTensor,torch.bool,torch.int64,"
        "torch.multinomial,torch.nn.init.normal_,torch.nn.init.xavier_uniform_,torch.distributed.get_rank,"
        "torch.Generator,torch.manual_seed]\n"
    ),
    "numpy_there": _late(
        "import numpy as np\nx=[np.array,np.float32,np.random.rand,np.linalg.norm,"
        "np.ndarray,np.inf,np.newaxis,np.int64,np.random.seed]\n"
    ),
    "transformers_there": _late(
        "import transformers\nx = [transformers.PreTrainedModel,"
        " transformers.AutoModel, transformers.modeling_utils.PreTrainedModel,"
        " transformers.activations.ACT2FN, transformers.utils.logging,"
        " transformers.models.llama.modeling_llama.LlamaRMSNorm]\n"
    ),
    "standard_library_there": _late(
        "import json, os, sys, logging, inspect, warnings, functools, re,"
        " typing, collections\nx=[json.loads, os.path.join, os.getcwd, sys.modules, logging.getLogger,"
        " inspect.signature, warnings.warn, functools.partial, re.compile, typing.Optional,"
        " collections.OrderedDict]\n"
    ),
    "nn_there": _late(
        "x = [nn.Linear, nn.SiLU, nn.ModuleList, nn.CrossEntropyLoss, nn.init.normal_,"
        " nn.functional.gelu, nn.Parameter, nn.parameter.Parameter, nn.modules.linear.Linear,"
        " nn.utils.rnn.pad_sequence, nn.MultiheadAttention, nn.Identity, nn.RMSNorm]\n"
    ),
    "packages_there": Case(
        head="import safetensors, msgspec, huggingface_hub, tokenizers",
        body="x = [safetensors.safe_open, msgspec.Struct, huggingface_hub.hf_hub_download, tokenizers.Tokenizer]",
    ),
}
# Healthy code: it must be judged, not only not be called broken.
HEALTHY = [name for name in ATTRIBUTES if name.endswith("_there")]
