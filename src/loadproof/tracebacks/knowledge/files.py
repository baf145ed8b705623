"""safetensors (0.4 and 0.8 spellings), torch zip files, shard files."""

from __future__ import annotations

from loadproof.tracebacks.base import Entry, Example, because

ENTRIES = (
    Entry(
        ("header too small", "HeaderTooSmall"),
        (because("truncated", "likely"), because("zero-filled"), because("lfs-pointer")),
        (Example("SafetensorError: Error while deserializing header: header too small", "truncated"),),
        engine="safetensors",
        phase="load",
    ),
    Entry(
        ("header too large", "HeaderTooLarge"),
        (
            because("header-invalid", "likely", text=r"100 ?MB|1\.\d+M tensors"),
            because("lfs-pointer", "likely", text=r"SafetensorError|deserializ|HeaderTooLarge"),
            because("lfs-pointer"),
            because("not-weights"),
            because("header-invalid"),
        ),
        (
            Example("SafetensorError: Error while deserializing header: HeaderTooLarge", "lfs-pointer"),
            Example(
                "safetensors_rust.SafetensorError: Error while deserializing header: header too large", "lfs-pointer"
            ),
        ),
        engine="safetensors",
        phase="load",
    ),
    Entry(
        ("invalid header length", "InvalidHeaderLength"),
        (because("truncated", "likely"), because("not-weights")),
        (Example("SafetensorError: Error while deserializing header: InvalidHeaderLength", "truncated"),),
        engine="safetensors",
        phase="load",
    ),
    Entry(
        ("incomplete metadata, file not fully covered", "MetadataIncompleteBuffer"),
        (because("truncated", "likely"), because("trailing-bytes")),
        (
            Example(
                "safetensors_rust.SafetensorError: Error while deserializing header: MetadataIncompleteBuffer",
                "truncated",
            ),
            Example(
                "SafetensorError: Error while deserializing header: incomplete metadata, file not fully covered",
                "truncated",
            ),
        ),
        engine="safetensors",
        phase="load",
    ),
    Entry(
        (
            "invalid JSON in header: EOF while parsing a value",
            "invalid JSON in header: expected value",
            "InvalidHeaderDeserialization",
        ),
        (because("zero-filled", "likely"), because("header-invalid"), because("not-weights")),
        (
            Example(
                "SafetensorError: Error while deserializing header: invalid JSON in header: EOF while parsing a value at line 1 column 0",
                "zero-filled",
            ),
        ),
        engine="safetensors",
        phase="load",
    ),
    Entry(
        ("invalid JSON in header: unknown variant", "unknown variant <..>, expected one of <..>BOOL"),
        (because("entry-invalid", "likely"), because("reader-too-old")),
        (
            Example(
                "SafetensorError: Error while deserializing header: invalid JSON in header: unknown variant `F4`, expected one of `BOOL`, `U8`",
                "entry-invalid",
            ),
        ),
        engine="safetensors",
        phase="load",
    ),
    Entry(
        ("InvalidHeader<..>", "InvalidHeaderStart", "invalid UTF-8 in header"),
        (because("header-invalid", "likely"), because("not-weights")),
        (Example("SafetensorError: Error while deserializing header: InvalidHeaderStart", "header-invalid"),),
        engine="safetensors",
        phase="load",
    ),
    Entry(
        ("invalid offset for tensor <..>", "InvalidOffset"),
        (because("offsets-invalid", "likely"),),
        (
            Example(
                "SafetensorError: Error while deserializing header: invalid offset for tensor `b`", "offsets-invalid"
            ),
        ),
        engine="safetensors",
        phase="load",
    ),
    Entry(
        ("invalid shape, data type, or offset for tensor", "TensorInvalidInfo"),
        (because("entry-invalid", "likely"), because("truncated")),
        (
            Example(
                "SafetensorError: Error while deserializing header: invalid shape, data type, or offset for tensor",
                "entry-invalid",
            ),
        ),
        engine="safetensors",
        phase="load",
    ),
    Entry(
        (
            "PytorchStreamReader failed reading zip archive",
            "PytorchStreamReader failed reading file",
            "failed finding central directory",
            "not a ZIP archive",
        ),
        (because("truncated", "likely"), because("not-weights")),
        (
            Example(
                "RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory",
                "truncated",
            ),
        ),
        phase="load",
    ),
    Entry(
        (
            "invalid load key, 'v'",
            "invalid load key, '<'",
            "Unable to load weights from <pytorch checkpoint|checkpoint>",
        ),
        (because("lfs-pointer", "likely"), because("truncated")),
        (Example("_pickle.UnpicklingError: invalid load key, 'v'.", "lfs-pointer"),),
        phase="load",
    ),
    Entry(
        (
            "unexpected EOF, expected <n> more bytes",
            "Ran out of input",
            "corrupted record",
            "unexpected end of data",
            "invalid load key, <..>",
        ),
        (
            because("truncated", "likely", text=r"more bytes|torch|corrupted|safetensors|PytorchStream"),
            because("truncated", "possible"),
            because("lfs-pointer", "possible"),
        ),
        (Example("RuntimeError: unexpected EOF, expected 4096 more bytes. The file might be corrupted.", "truncated"),),
        phase="load",
    ),
    Entry(
        ("key <..>must be unique among files",),
        (because("duplicate-tensor", "likely"),),
        (Example("Exception: key model.layers.0.mlp.up_proj.qweight must be unique among files", "duplicate-tensor"),),
        phase="load",
    ),
    Entry(
        (
            "Weight files referenced in index but missing: <..>",
            "references <n> shard file(s) missing from",
            "incomplete download?",
            "Missing or incomplete model files",
        ),
        (because("shard-missing", "likely"),),
        (
            Example(
                "RuntimeError: model.safetensors.index.json references 3 shard file(s) missing from /m (incomplete download?)",
                "shard-missing",
            ),
            Example(
                "ValueError: Weight files referenced in index but missing: ['model-00002-of-00004.safetensors']",
                "shard-missing",
            ),
            Example(
                "ValueError: Missing or incomplete model files: ['model-00002-of-00004.safetensors']", "shard-missing"
            ),
        ),
        phase="load",
    ),
    Entry(
        (
            "Cannot find any model weights with",
            "No safetensors found in",
            "no safetensors files found",
            "No files found <..>safetensors",
        ),
        (because("no-weights", "likely"), because("training-state")),
        (
            Example("RuntimeError: Cannot find any model weights with `/m`", "no-weights"),
            Example("FileNotFoundError: No safetensors found in /m", "no-weights"),
        ),
        phase="load",
    ),
    Entry(
        (
            "No such file or directory: <..>.metadata",
            "FileNotFoundError: <..>/.metadata",
            "IsADirectoryError: <..>pytorch_model.bin",
            "Is a directory: <..>pytorch_model.bin",
        ),
        (because("training-state", "likely"),),
        (
            Example(
                "FileNotFoundError: [Errno 2] No such file or directory: '/ckpt/pytorch_model_fsdp_0/.metadata'",
                "training-state",
            ),
            Example("IsADirectoryError: [Errno 21] Is a directory: 'pytorch_model.bin'", "training-state"),
        ),
        phase="load",
    ),
    Entry(
        ("Mismatch between weight map and model parts for tensor names",),
        (because("index-incomplete", "likely"), because("shard-missing")),
        (
            Example(
                "ValueError: Mismatch between weight map and model parts for tensor names:\nMissing tensors: ['a.weight']\nExtra tensors: []",
                "index-incomplete",
            ),
        ),
        engine="llama.cpp",
        phase="convert",
    ),
    Entry(
        ("safetensors cannot serialise tensor subclass", "cannot serialize tensor subclass"),
        (because("dtensor-save", "possible", text="DTensor"), because("packed-parameter", "likely")),
        (Example("ValueError: safetensors cannot serialise tensor subclass QTensor", "packed-parameter"),),
        phase="save",
    ),
)
