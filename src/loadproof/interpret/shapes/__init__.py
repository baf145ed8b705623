"""Shape-only stand-ins for torch and numpy: tensors without values, modules with names. No value is ever computed."""
