"""Adapters made by the real PEFT, damaged in many ways, loaded by the real PEFT on CPU: is the same foretold?"""
