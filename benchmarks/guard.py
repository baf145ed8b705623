"""Cost of one guard check on a healthy model. Bar: 100 microseconds a call.

python benchmarks/guard.py
"""

import statistics
import sys
import time

from transformers import LlamaConfig, LlamaForCausalLM

from loadproof import check_logits_head

BAR_US = 100.0


def one_call_us(model: LlamaForCausalLM, calls: int = 2000) -> float:
    start = time.process_time()
    for _ in range(calls):
        check_logits_head(model)
    return (time.process_time() - start) / calls * 1e6


def main() -> int:
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=64,
            hidden_size=32,
            intermediate_size=48,
            num_hidden_layers=32,
            num_attention_heads=4,
            num_key_value_heads=2,
        )
    )
    median = statistics.median(one_call_us(model) for _ in range(5))
    print(f"guard check: {median:.1f} us a call (bar {BAR_US:.0f})")
    return 0 if median < BAR_US else 1


if __name__ == "__main__":
    sys.exit(main())
