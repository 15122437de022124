"""tinygrad on DEV (CPU unless the environment says otherwise)."""

import importlib.metadata
import os
import shutil


def probe():
    if os.environ.get("DEV", "CPU") == "CPU" and not shutil.which(os.environ.get("CC", "clang")):
        raise ImportError("tinygrad compiles with clang, and there is none")
    return importlib.metadata.version("tinygrad")


def start(scratch):
    os.environ.setdefault("DEV", "CPU")
    os.environ["CACHELEVEL"] = "0"  # every kernel is compiled anew
    import tinygrad  # noqa: F401


def failure_kind(error):
    return "memory" if isinstance(error, MemoryError) else "compile"


def after(scratch):
    pass
