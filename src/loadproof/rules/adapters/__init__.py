"""Rules of adapters: what PEFT makes of one on its base."""
