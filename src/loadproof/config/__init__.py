"""config.json: its values, their spellings, the lines they stand on, and what is wrong with them."""

from loadproof.config.access import get, text_config, text_config_path
from loadproof.config.lines import line_of, where
from loadproof.config.read import read_config
from loadproof.config.spellings import CANONICAL, SPELLINGS, spelled, value_of

__all__ = [
    "CANONICAL",
    "SPELLINGS",
    "get",
    "line_of",
    "read_config",
    "spelled",
    "text_config",
    "text_config_path",
    "value_of",
    "where",
]
