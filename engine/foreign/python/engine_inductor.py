"""PyTorch's compilers: torch.compile with inductor or aot_eager."""

import importlib.metadata
import os
import re
import shutil
import traceback

REQUESTS_BETWEEN_CLEANING = 200
requests = 0


def probe():
    """The version, without loading it; raises ImportError where it cannot run."""
    if not shutil.which(os.environ.get("CXX", "g++")):
        raise ImportError("Inductor compiles with g++, and there is none")
    return importlib.metadata.version("torch").split("+")[0]


def start(scratch):
    # Every case is compiled anew: an answer out of a cache says nothing of the compiler.
    os.environ["TORCHINDUCTOR_FX_GRAPH_CACHE"] = "0"
    os.environ["TORCHINDUCTOR_AUTOGRAD_CACHE"] = "0"
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    import torch
    import torch._dynamo
    import torch._inductor.metrics

    # The first compile of a machine precompiles PyTorch's headers and tries out its vector
    # instructions, which takes a minute or two: no request's deadline may pay for that, a worker
    # killed at it would leave it undone for the next one, and what it learns is kept in PyTorch's
    # own cache, where the next campaign finds it. Only then do the cases get a folder of their own.
    torch.set_num_threads(1)
    torch.compile(lambda x: x + 1)(torch.zeros(4))
    torch._dynamo.reset()
    if scratch:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(scratch, "inductor")


def failure_kind(error):
    import torch

    text = str(error)
    if isinstance(error, (MemoryError, torch.OutOfMemoryError)):
        return "memory"
    if "illegal memory access" in text or "misaligned address" in text:
        return "illegal_address"
    return "compile"


def failure_text(error):
    """What tells one failure from another: of the C++ compiler's answer its errors, without the command line and the generated code."""
    errors = re.findall(r"\berror: .*", str(error))
    if "C++ compile error" in str(error) and errors:
        return "the generated C++ does not compile: " + "; ".join(dict.fromkeys(errors[:2]))
    # The exception of the backend stands behind "raised:"; behind its first paragraph stand the graph, advice and a stack.
    text = "".join(traceback.format_exception_only(error)).strip()
    return " ".join(text.split("raised:\n", 1)[-1].split("\n\n")[0].split())


def after(scratch):
    global requests
    requests += 1
    if scratch and requests % REQUESTS_BETWEEN_CLEANING == 0:
        shutil.rmtree(os.path.join(scratch, "inductor"), ignore_errors=True)
