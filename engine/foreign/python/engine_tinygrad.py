"""tinygrad on DEV (CPU unless the environment says otherwise)."""

import importlib.metadata
import os


def start(scratch):
    os.environ.setdefault("DEV", "CPU")
    os.environ["CACHELEVEL"] = "0"  # every kernel is compiled anew
    import tinygrad

    return importlib.metadata.version("tinygrad")


def failure_kind(error):
    return "memory" if isinstance(error, MemoryError) else "compile"


def after(scratch):
    pass
