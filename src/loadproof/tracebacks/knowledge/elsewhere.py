"""Errors that no checkpoint causes: what they are, and what to do. A negative is an answer, too."""

from __future__ import annotations

import re

# (what it is, what to do, the text that says so); searched in the error itself, then in the last lines of a log
_TEXTS: tuple[tuple[str, str, str], ...] = (
    (
        "out of memory",
        "use a smaller context, batch or data type, more devices, or free the memory that others hold",
        r"CUDA out of memory|OutOfMemoryError|out of memory|HIP out of memory|Free memory on device|std::bad_alloc|"
        r"Cannot allocate memory|No available memory for the cache blocks|CUBLAS_STATUS_ALLOC_FAILED|"
        r"(?:larger|more) than the available KV cache memory|DefaultCPUAllocator: (?:can't|not enough)|oom-kill",
    ),
    (
        "the disk or file system",
        "free space or write to another file system, then save or download again",
        r"No space left on device|Errno 28|Disk quota exceeded|Read-only file system|I/O error: |Input/output error|"
        r"Errno 5\b|Too many open files|Errno 13\b|Permission denied",
    ),
    (
        "the network or the hub",
        "download the files first and give the local folder, or check proxy, token and offline mode",
        r"couldn't connect to|Connection(?:Error|ResetError|RefusedError)|Max retries exceeded|LocalEntryNotFoundError|"
        r"Temporary failure in name resolution|ReadTimeout|ConnectTimeout|GatedRepoError|RepositoryNotFoundError|"
        r"(?:401|403|404|429|50[0-4]) Client Error|SSLError|SSLCertVerificationError|ProxyError|OfflineModeIsEnabled",
    ),
    (
        "the driver or the build for this device",
        "install builds of torch and the engine that fit the device and its driver",
        r"no kernel image is available|driver version is insufficient|CUDA driver|NVIDIA driver|No CUDA GPUs are available|"
        r"Torch not compiled with CUDA|compute capability|illegal memory access|illegal instruction|undefined symbol|"
        r"cannot open shared object file|GLIBC(?:XX)?_\d|CUDA error: (?:unknown error|initialization|invalid device)",
    ),
    (
        "communication between processes",
        "look at the other ranks' logs, the network interface and the time-outs",
        r"NCCL (?:error|timeout)|ncclSystemError|ncclInternalError|ncclUnhandledCudaError|ncclRemoteError|"
        r"ProcessGroupNCCL|DistBackendError|DistNetworkError|Watchdog caught collective|RPC call to \w{1,40} timed out|"
        r"Timed out after \d+ seconds waiting for clients|address already in use|Address already in use",
    ),
    (
        "an installed package or its release",
        "install the package, or releases that fit each other",
        r"ModuleNotFoundError: |ImportError: cannot import name|ImportError: DLL load failed|No module named|"
        r"VersionConflict|requires transformers[<>=]|requires the following packages that were not found",
    ),
    (
        "tensors on different devices",
        "move inputs and modules to one device",
        r"Expected all tensors to be on the same device|Input type \(.{1,60}\) and weight type \(.{1,60}\) should be the same",
    ),
    (
        "the tokenizer or its files",
        "look at the tokenizer files, or use a release that knows this tokenizer",
        r"sentencepiece_processor|BPE pre-tokenizer was not recognized|Can't load tokenizer|data did not match any variant of "
        r"untagged enum|Asking to pad but the tokenizer does not have a padding token|ModelWrapper|apply_chat_template|"
        r"vocab_file.{0,40}NoneType|tokenizer\.model.{0,60}(?:not found|No such file)",
    ),
    (
        "the program that was started, or the folder it was given",
        "give the server a folder of the kind it was made for",
        r"KeyError: ['\"]?(?:build_config|plugin_config|builder_config|pretrained_config)\b",
    ),
    (
        "a crash of the program itself",
        "report it to the program's makers with its log",
        r"Cannot read properties of undefined|SIGSEGV|segmentation violation|Segmentation fault|core dumped|SIGILL",
    ),
)  # fmt: skip
_SIGNS = tuple((what, do, re.compile(text)) for what, do, text in _TEXTS)
_LONGEST = 2_000  # characters of one line


def elsewhere(text: str) -> str:
    """``out of memory: use ...`` where the text is no error of a checkpoint; "" where it may be one."""
    return next((f"{what}: {do}" for what, do, sign in _SIGNS if sign.search(text[:_LONGEST])), "")
