"""A release in the style of 4.57, as small as it can be: ties as lists, retired models, models that are made empty."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

FILES = {
    "__init__.py": '__version__ = "4.99.0"',
    "configuration_utils.py": """
        class PretrainedConfig:
            model_type = ""
            attribute_map = {}
            sub_configs = {}

            def __init__(self, **kwargs):
                for name, value in {**self._get_global_generation_defaults(), **kwargs}.items():
                    setattr(self, name, value)
                self.tie_word_embeddings = kwargs.get("tie_word_embeddings", True)

            def get_text_config(self, decoder=False):
                return self

            @staticmethod
            def _get_global_generation_defaults():
                return {"num_beams": 1, "num_return_sequences": 1}
    """,
    "modeling_utils.py": """
        VLMS = ["seer"]

        class PreTrainedModel:
            config_class = None
            base_model_prefix = ""

            def get_init_context(cls):
                return []

            def tie_weights(self):
                for module in self.modules():
                    if hasattr(module, "_tie_weights"):
                        module._tie_weights()
    """,
    "generation/configuration_utils.py": """
        class GenerationConfig:
            def __init__(self, **kwargs):
                self.num_beams = kwargs.pop("num_beams", 1)
                self.num_return_sequences = kwargs.pop("num_return_sequences", 1)
                if self.num_return_sequences > self.num_beams:
                    raise ValueError(f"got {self.num_return_sequences} for {self.num_beams} beams")
    """,
    "models/auto/configuration_auto.py": """
        CONFIG_MAPPING_NAMES = {"old-seer": "OldSeerConfig"}
        SPECIAL_MODEL_TYPE_TO_MODULE_NAME = {}
        DEPRECATED_MODELS = ["old_seer"]
    """,
    "models/auto/modeling_auto.py": 'MODEL_FOR_CAUSAL_LM_MAPPING_NAMES = {"old-seer": "OldSeerForCausalLM"}',
    "models/deprecated/old_seer/configuration_old_seer.py": """
        from ....configuration_utils import PretrainedConfig

        class OldSeerConfig(PretrainedConfig):
            model_type = "old-seer"

            def __init__(self, width=4, **kwargs):
                self.width = width
                super().__init__(**kwargs)
    """,
    "models/deprecated/old_seer/modeling_old_seer.py": """
        from torch import nn

        from ....generation import GenerationMixin
        from ....modeling_utils import PreTrainedModel
        from .configuration_old_seer import OldSeerConfig

        class OldSeerForCausalLM(PreTrainedModel, GenerationMixin):
            config_class = OldSeerConfig
            _tied_weights_keys = ["head.weight"]
            _checkpoint_conversion_mapping = {"^old": "new"}

            def __init__(self, config):
                super().__init__(config)
                self.embed = nn.Embedding(3, config.width)
                self.copy = nn.Embedding(3, config.width)
                self.copy.weight = self.embed.weight
                self.head = nn.Linear(config.width, 3, bias=False)

            def _tie_weights(self):
                if self.config.tie_word_embeddings:
                    self.head.weight = self.embed.weight
    """,
}


def write(folder: Path) -> str:
    """The folder of the package."""
    for name, text in FILES.items():
        path = folder / "transformers" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))
    return str(folder / "transformers")
