"""nvFuser by way of nvfuser_direct, on a CUDA GPU."""

import importlib.metadata
import importlib.util
import os


def probe():
    if importlib.util.find_spec("nvfuser_direct") is None:
        raise ImportError("no module named nvfuser_direct")
    if not os.path.exists("/dev/nvidiactl"):
        raise ImportError("no NVIDIA GPU on this machine")
    for package in ("nvfuser-cu130-torch210", "nvfuser"):
        try:
            return importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return "unknown"


def start(scratch):
    import torch
    import nvfuser_direct  # noqa: F401

    torch.zeros(1, device="cuda")  # the context, before the first deadline runs


def failure_kind(error):
    text = str(error)
    if isinstance(error, MemoryError) or "out of memory" in text:
        return "memory"
    if "illegal memory access" in text or "misaligned address" in text:
        return "illegal_address"
    return "compile"


def after(scratch):
    pass
