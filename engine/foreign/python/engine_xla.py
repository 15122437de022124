"""XLA by way of jax.jit."""

import importlib.metadata
import os

requests = 0
REQUESTS_BETWEEN_CLEANING = 100


def probe():
    return importlib.metadata.version("jax")


def start(scratch):
    # Each worker would take three quarters of a GPU's memory for itself.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax

    jax.config.update("jax_enable_x64", True)
    jax.numpy.zeros(1)  # the backend, before the first deadline runs


def failure_kind(error):
    text = str(error)
    if isinstance(error, MemoryError) or "RESOURCE_EXHAUSTED" in text:
        return "memory"
    if "CUDA_ERROR_ILLEGAL_ADDRESS" in text:
        return "illegal_address"
    return "compile"


def after(scratch):
    # Compiled programs stay in JAX's caches and would fill the memory of a long campaign.
    global requests
    requests += 1
    if requests % REQUESTS_BETWEEN_CLEANING == 0:
        import jax

        jax.clear_caches()
