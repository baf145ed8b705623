"""loadproof: will this checkpoint load, with the right weights in the right places?"""

__version__ = "0.1.0"
