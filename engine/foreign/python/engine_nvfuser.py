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
    # There is a worker for each core: threads of its own only make it slower (24 cases/s against 33
    # on 16 cores). Set before the library reads it.
    os.environ["NVFUSER_DISABLE"] = ",".join(
        filter(None, [os.environ.get("NVFUSER_DISABLE"), "parallel_compile"])
    )
    import torch
    import nvfuser_direct  # noqa: F401

    torch.zeros(1, device="cuda")  # the context, before the first deadline runs


def failure_kind(error):
    text = str(error)
    if isinstance(error, MemoryError) or "out of memory" in text:
        return "memory"
    lost = ("illegal memory access", "misaligned address", "ILLEGAL_ADDRESS", "MISALIGNED_ADDRESS")
    if any(words in text for words in lost):
        return "illegal_address"
    return "compile"


def failure_text(error):
    # Without the frames of its C++ stack, which differ from process to process.
    text = str(error).split("Exception raised from")[0].strip()
    return f"{type(error).__name__}: {text}"


def after(scratch):
    pass
