"""The Auto classes of a release, resolved through its own name tables."""

from __future__ import annotations

import ast
from typing import Any

from loadproof.interpret.language.errors import SourceMissing, certain
from loadproof.interpret.language.gate import find, has, own
from loadproof.interpret.language.objects import Unknown
from loadproof.interpret.language.values import Class, Open, Sealed, Value, table_of
from loadproof.interpret.release.ports import World

_AUTO = "transformers.models.auto."


def config_names(world: World) -> dict[str, str]:
    """model_type -> configuration class name, from the release's table."""
    found = _shared_table(world, "CONFIG_MAPPING_NAMES")
    if not found:
        raise SourceMissing("no table of configuration classes in this release")
    return found


def _shared_table(world: World, name: str) -> dict[str, str]:
    """A table that newer releases keep in `auto_mappings` and amend in `configuration_auto`."""
    newer, older = world.file(_AUTO + "auto_mappings"), world.file(_AUTO + "configuration_auto")
    found: dict[str, str] = {}
    if newer is not None and newer.assigns(name):
        found = table_of(newer.resolve(name))
        if older is not None:
            older.globals[name] = found
            older.replay(name)
    return table_of(older.resolve(name)) if older is not None and older.defines(name) else found


def folder_of(world: World, model_type: str) -> str:
    """Package under `models` of a model type: `model_type_to_module_name` of configuration_auto.py."""
    found = str(special_folders(world).get(model_type) or model_type.replace("-", "_"))
    return f"deprecated.{found}" if found in _deprecated(world) else found


def _deprecated(world: World) -> Any:
    file = world.file(_AUTO + "configuration_auto")
    return file.resolve("DEPRECATED_MODELS") if file is not None and file.defines("DEPRECATED_MODELS") else ()


def special_folders(world: World) -> dict[str, str]:
    """SPECIAL_MODEL_TYPE_TO_MODULE_NAME of the release, wherever it stands."""
    if world.memo.special_folders is None:
        world.memo.special_folders = _shared_table(world, "SPECIAL_MODEL_TYPE_TO_MODULE_NAME")
    return world.memo.special_folders


def name_of(world: World, name: str) -> Value:
    """What `from ..auto import name` gives."""
    if name == "CONFIG_MAPPING_NAMES":
        return world.config_names
    if name.endswith("_MAPPING_NAMES"):
        return table(world, name)
    if name == "SPECIAL_MODEL_TYPE_TO_MODULE_NAME":
        return special_folders(world)
    if name == "CONFIG_MAPPING":
        return ConfigMapping(world)
    if name == "AutoConfig":
        return auto_config(world)
    return AutoModel(world, name) if is_auto(name) else Unknown("auto." + name)


def is_auto(name: str) -> bool:
    """Whether it is an Auto class that gives configurations or models."""
    return name.startswith("AutoModel") or name in ("AutoBackbone", "AutoConfig")


def table(world: World, name: str) -> dict[str, Any]:
    """A `<NAME>_MAPPING_NAMES` table: model_type -> class name or names; empty when the release has none."""
    file = world.file(_AUTO + "modeling_auto")
    return table_of(file.resolve(name)) if file is not None and file.defines(name) else {}


class Registry:
    """What `AutoConfig.register` and `AutoModel.register` were told; it goes before the release's own tables."""

    def __init__(self) -> None:
        self.configs: dict[str, Class] = {}
        self.models: dict[str, dict[Class, Class]] = {}

    def add_config(self, world: World, model_type: str, config: Class, exist_ok: bool) -> None:
        """`AutoConfig.register`, configuration_auto.py:458 of 5.24."""
        stated: Any = config_type(config)
        if world.is_config(config) and stated != model_type:
            raise certain(
                ValueError(
                    "The config you are passing has a `model_type` attribute that is not consistent with the model type "
                    f"you passed (config has {stated} and you passed {model_type}. Fix one of those so they match!"
                )
            )
        if model_type in world.config_names and not exist_ok:
            text = f"'{model_type}' is already used by a Transformers config, pick another name."
            raise certain(ValueError(text))
        self.configs[model_type] = config

    def add_model(self, world: World, auto_name: str, config: Class, model: Class, exist_ok: bool) -> None:
        """`AutoModel.register`, auto_factory.py:415 and 671 of 5.24."""
        declared = config_class_of(model)
        if declared is None and any(c.__name__ == "PreTrainedModel" for c in model.__mro__):
            raise certain(AttributeError("'NoneType' object has no attribute '__name__'"))
        if declared is not None and declared.__name__ != config.__name__:
            raise certain(
                ValueError(
                    "The model class you are passing has a `config_class` attribute that is not consistent with the "
                    f"config class you passed (model has {declared.__name__} and you passed {config.__name__}. Fix "
                    "one of those so they match!"
                )
            )
        own = not str(config.__module__).startswith("remote")
        types = [t for t, c in world.config_names.items() if c == config.__name__]
        if types and types[-1] in table_of_auto_class(world, auto_name) and not exist_ok:
            raise certain(ValueError(f"'{config.__name__}' is already used by a Transformers model."))
        if not own or exist_ok:
            self.models.setdefault(auto_name, {})[config] = model


def config_type(config: Class) -> Value:
    """`model_type` of a configuration class."""
    return next((own(c)["model_type"] for c in config.__mro__ if "model_type" in own(c)), "")


class ConfigMapping(Sealed):
    """model_type -> configuration class."""

    def __init__(self, world: World) -> None:
        self._world = world

    def __getitem__(self, model_type: str) -> Class:
        if model_type in self._world.registered.configs:
            return self._world.registered.configs[model_type]
        cls = self._world.find_class(self._world.config_names[model_type], model_type)
        if cls is None:
            raise KeyError(model_type)
        return cls

    def __contains__(self, model_type: object) -> bool:
        return model_type in self._world.config_names or model_type in self._world.registered.configs

    def keys(self) -> Any:
        return {**self._world.config_names, **self._world.registered.configs}.keys()

    def register(self, key: str, value: Class, exist_ok: bool = False) -> None:
        if key in self._world.config_names and not exist_ok:
            raise certain(ValueError(f"'{key}' is already used by a Transformers config, pick another name."))
        self._world.registered.configs[key] = value

    def get(self, model_type: str, default: Any = None) -> Any:
        return self[model_type] if model_type in self else default  # noqa: SIM401


def auto_config(world: World) -> Class:
    """AutoConfig as a class: sources put it into `sub_configs` and test it with issubclass."""
    if world.memo.auto_config is not None:
        return world.memo.auto_config

    class AutoConfig(Open):
        def __new__(cls, *_: object, **__: object) -> Any:
            raise SourceMissing("AutoConfig() was called")

        @classmethod
        def for_model(cls, model_type: str, *args: Value, **kwargs: Value) -> Value:
            if model_type not in ConfigMapping(world):
                raise certain(ValueError(f"Unrecognized model identifier: {model_type}."))
            made: Value = ConfigMapping(world)[model_type](*args, **kwargs)
            return made

        @staticmethod
        def register(model_type: str, config: Class, exist_ok: bool = False) -> None:
            world.registered.add_config(world, model_type, config, exist_ok)

        @classmethod
        def from_pretrained(cls, *_: object, **__: object) -> Value:
            raise SourceMissing("the configuration of another repository (AutoConfig.from_pretrained)")

    world.memo.auto_config = AutoConfig
    return AutoConfig


class AutoModel(Sealed):
    """AutoModelFor*.from_config through the release's table of that Auto class."""

    def __init__(self, world: World, name: str) -> None:
        self._world, self.__name__ = world, name

    def from_pretrained(self, *_: object, **__: object) -> Value:
        raise SourceMissing(f"the weights of another repository ({self.__name__}.from_pretrained)")

    def register(self, config_class: Class, model_class: Class, exist_ok: bool = False) -> None:
        self._world.registered.add_model(self._world, self.__name__, config_class, model_class, exist_ok)

    def from_config(self, config: Any, **options: Any) -> Any:
        world, found = self._world, table_of_auto_class(self._world, self.__name__)
        options = {key: value for key, value in options.items() if key not in ("trust_remote_code", "code_revision")}
        own = world.registered.models.get(self.__name__, {}).get(type(config))
        if own is not None:
            return own._from_config(config, **options)
        model_type = _model_type(world, config, found)
        if model_type is None:
            raise certain(
                ValueError(
                    f"Unrecognized configuration class {type(config)} for this kind of AutoModel: {self.__name__}."
                )
            )
        name = found[model_type]
        name = name[0] if isinstance(name, (tuple, list)) else name
        cls = world.find_class(name, model_type)
        if cls is None:
            raise SourceMissing(f"class {name}")
        sub = config.sub_configs.get("text_config") if has(config, "sub_configs") else None
        if sub is not None and config_class_of(cls) is sub:
            config = config.get_text_config()
        return cls._from_config(config, **options)


def table_of_auto_class(world: World, auto_name: str) -> dict[str, Any]:
    """The name table behind an Auto class: `_model_mapping = _LazyAutoMapping(CONFIG_MAPPING_NAMES, <table>)`."""
    file = world.file(_AUTO + "modeling_auto")
    source = file.class_definition(auto_name) if file is not None else None
    if file is None or source is None:
        raise SourceMissing(f"class {auto_name}")
    for member in source.members:
        if isinstance(member, ast.Assign) and find(member.targets[0], "id", "") == "_model_mapping":
            lazy: Any = file.syntax_of(find(member.value, "id"))
            return table(world, lazy.args[1].id)
    raise SourceMissing(f"the table of {auto_name}")


def _model_type(world: World, config: Any, found: dict[str, Any]) -> str | None:
    names, own = world.config_names, find(type(config), "model_type")
    candidates = [t for t, c in names.items() if c == type(config).__name__]
    ordered = [t for t in candidates if t == own] + candidates + [config.model_type]
    return next((t for t in ordered if t in found), None)


class ConfigClass:
    """`config_class` of the model base: each class has the one that it declares."""

    def __get__(self, obj: Value, cls: Class) -> Class | None:
        return config_class_of(cls)


def config_class_of(model_class: Class) -> Class | None:
    """The configuration class a model class declares, None when it declares none."""
    for c in model_class.__mro__:
        declared = own(c).get("config_class")
        if isinstance(declared, type):
            return declared
        if "__config_annotation__" in own(c):
            file, annotation = own(c)["__config_annotation__"]
            try:
                found: Class = file.evaluate(annotation)
            except Exception:
                continue
            return found
    return None
