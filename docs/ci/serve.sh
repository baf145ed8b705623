#!/bin/sh
# Serve a model only if it will load with the right weights:
#   serve.sh MODEL [options of vllm serve]              (SERVE="python -m sglang.launch_server --model-path" for SGLang)
# What could not be judged is served; what is known to be wrong is not. loadproof's report is on standard error.
set -eu
loadproof check "$1" --allow-inconclusive >&2
exec ${SERVE:-vllm serve} "$@"
