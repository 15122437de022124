"""nvFuser by way of nvfuser_direct, on a CUDA GPU."""

import importlib.metadata


def start(scratch):
    import torch
    import nvfuser_direct

    if not torch.cuda.is_available():
        raise ImportError("torch sees no CUDA GPU")
    torch.zeros(1, device="cuda")  # the context, before the first deadline runs
    for package in ("nvfuser-cu130-torch210", "nvfuser-cu130-torch211", "nvfuser"):
        try:
            return importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return getattr(nvfuser_direct, "__version__", "unknown")


def failure_kind(error):
    text = str(error)
    if isinstance(error, MemoryError) or "out of memory" in text:
        return "memory"
    if "illegal memory access" in text or "misaligned address" in text:
        return "illegal_address"
    return "compile"


def after(scratch):
    pass
